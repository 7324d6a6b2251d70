import type { Admin } from '../client/surface.ts'

export type GroupCommit = { offset: number; metadata: string | null }

export type GroupCommits = {
  /** Returns the group's commit of a partition, with offset -1 if there is none. */
  (topic: string, partition: number): GroupCommit
  /** True if the group has a commit of some partition of the topic. */
  any(topic: string): boolean
}

/** Reads all commits of a group. */
export async function fetchGroupCommits(
  admin: Pick<Admin, 'fetchOffsets'>,
  of: { groupId: string; topics: readonly string[] },
): Promise<GroupCommits> {
  return groupCommitsOf(await admin.fetchOffsets({ groupId: of.groupId, topics: [...of.topics] }))
}

/** @param commits the answer of kafkajs */
export function groupCommitsOf(commits: Awaited<ReturnType<Admin['fetchOffsets']>>): GroupCommits {
  const rowsOf = (topic: string) => commits.find((row) => row.topic === topic)?.partitions ?? []
  const commitOf = (topic: string, partition: number) => {
    const commit = rowsOf(topic).find((row) => row.partition === partition)
    return { offset: Number(commit?.offset ?? -1), metadata: commit?.metadata ?? null }
  }
  const any = (topic: string) => rowsOf(topic).some(({ offset }) => Number(offset) >= 0)
  return Object.assign(commitOf, { any })
}
