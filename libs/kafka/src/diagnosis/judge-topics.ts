import { type Finding, findingsOf } from '@surehook/service-kit/diagnosis/finding'
import type { Admin } from 'kafkajs'

const { ok, warn, wrong } = findingsOf('topics')

export type PartitionState = {
  leader: number
  replicas: readonly number[]
  isr: readonly number[]
}

/** Names the topics that do not exist. */
export function judgeMissing(missing: readonly string[]): Finding[] {
  if (missing.length === 0) return []
  return [wrong(`missing: ${missing.join(', ')}`, 'Run `surehook prepare topics`.')]
}

/** Such as `3 brokers reached`. */
export const reachedText = (brokers: number): string =>
  `${brokers} broker${brokers === 1 ? '' : 's'} reached`

/** Checks whether a topic can be written, and whether it has all its copies. */
export function judgeReplicas(name: string, partitions: readonly PartitionState[]): Finding[] {
  const leaderless = partitions.filter(({ leader }) => leader < 0).length
  const behind = partitions.filter(({ replicas, isr }) => isr.length < replicas.length).length
  const advice = 'Bring back the brokers that hold them.'
  return [
    ...(leaderless > 0 ? [wrong(`${name}: ${leaderless} partitions have no leader`, advice)] : []),
    ...(behind > 0 ? [warn(`${name}: ${behind} partitions lack copies`, advice)] : []),
  ]
}

/** Checks what needs no more than the right to describe topics. */
export async function checkReach(admin: Admin, names: readonly string[]): Promise<Finding[]> {
  const { brokers } = await admin.describeCluster()
  const existing = new Set(await admin.listTopics())
  const missing = names.filter((name) => !existing.has(name))
  const found = names.filter((name) => existing.has(name))
  const topics = found.length === 0 ? [] : await topicsOf(admin, found)
  const faults = [
    ...judgeMissing(missing),
    ...topics.flatMap(({ name, partitions }) => judgeReplicas(name, partitions)),
  ]
  return [
    findingsOf('kafka').ok(reachedText(brokers.length)),
    ...(faults.length > 0 ? faults : [ok(`${names.length} topics, each with all its copies`)]),
  ]
}

const topicsOf = async (admin: Admin, topics: string[]) =>
  (await admin.fetchTopicMetadata({ topics })).topics
