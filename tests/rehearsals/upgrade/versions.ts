import { mkdir, rename, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Version } from '@surehook/scripts/versions/check-out'

/** The version of each replica: a symbolic link that is replaced to change it. */
export type ReplicaVersions = {
  readonly ofReplica: (replica: string) => string
  set(replica: string, version: Version): Promise<void>
}

export async function openReplicaVersions(
  dir: string,
  replicas: readonly string[],
  first: Version,
): Promise<ReplicaVersions> {
  await rm(dir, { recursive: true, force: true })
  await mkdir(dir, { recursive: true })
  const set = async (replica: string, version: Version) => {
    const next = join(dir, `${replica}.next`)
    await symlink(version.dir, next)
    await rename(next, join(dir, replica))
  }
  for (const replica of replicas) await set(replica, first)
  return { ofReplica: (replica) => join(dir, replica), set }
}
