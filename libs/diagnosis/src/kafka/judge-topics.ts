import { type Finding, findingsOf } from '../finding.ts'

const { warn, wrong } = findingsOf('topics')

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
