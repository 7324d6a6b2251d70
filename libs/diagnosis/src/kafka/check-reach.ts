import type { Admin } from '@surehook/kafka/client/surface'
import { type Finding, findingsOf } from '../finding.ts'
import { judgeMissing, judgeReplicas } from './judge-topics.ts'

const { ok } = findingsOf('topics')

/** Such as `3 brokers reached`. */
export const reachedText = (brokers: number): string =>
  `${brokers} broker${brokers === 1 ? '' : 's'} reached`

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
