import { statfs } from 'node:fs/promises'
import { byteSize } from '@surehook/contracts/byte-size'
import { type Finding, findingsOf } from '@surehook/diagnosis/finding'
import { surehookRoot } from '../../lib/root.ts'
import type { Target } from '../target.ts'

const { ok, warn, skipped } = findingsOf('disk')

const leastBytes = 2 * 1024 ** 3

/** Checks the disk with the state of `npm start`. The doctor cannot see disks of other servers. */
export async function checkDisk({ isLocal }: Target): Promise<Finding[]> {
  if (!isLocal)
    return [skipped('those of PostgreSQL and Kafka cannot be seen from here: watch them there')]
  const { bavail, bsize } = await statfs(`${surehookRoot}/.local`)
  return [judgeSpace(bavail * bsize)]
}

export function judgeSpace(freeBytes: number): Finding {
  const says = `${byteSize(freeBytes)} are free where .local is`
  if (freeBytes >= leastBytes) return ok(says)
  return warn(says, 'Make room: Kafka and PostgreSQL stop when the disk is full.')
}
