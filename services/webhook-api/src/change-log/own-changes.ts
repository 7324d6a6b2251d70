import type { PlatformAccess } from '@surehook/access/management-access'
import type { LogPosition } from '@surehook/contracts/events/log-position'
import type { PartitionBounds } from '@surehook/kafka/offsets/log-ends'
import type { LogReader } from '@surehook/kafka/readers/log-reader'
import type { Tenant } from '../tenants/tenant.ts'

/** The offsets of `changes` that may hold records of the environment, by partition. */
export type OwnBounds = (tenant: Tenant) => Promise<PartitionBounds[]>

export type OwnBoundsDeps = {
  reader: Pick<LogReader, 'bounds'>
  access: Pick<PlatformAccess, 'originOf'>
  /** Hexadecimal id of the topic. */
  topicId: () => Promise<string>
}

/** Records before these bounds are of an earlier environment of the same name, and never shown. */
export function createOwnBounds({ reader, access, topicId }: OwnBoundsDeps): OwnBounds {
  return async ({ projectId, environment }) => {
    const [{ changesFrom }, id, bounds] = await Promise.all([
      access.originOf(projectId, environment),
      topicId(),
      reader.bounds(),
    ])
    const first = firstOffsets(changesFrom, id)
    return bounds.map((of) => ({ ...of, start: Math.max(of.start, first[of.partition] ?? 0) }))
  }
}

/**
 * Returns the environment's first offsets by partition. Empty where all records are its own: it
 * began with the log, or the topic was created again since.
 */
export const firstOffsets = (from: LogPosition | null, topicId: string): readonly number[] =>
  from?.topicId === topicId ? from.offsets : []
