import type { DeliveryJob } from '@surehook/contracts/events'

/** The record of a job, for one subscription. */
export type JobRecord = Pick<DeliveryJob, 'subscriptionId' | 'recordId'>

/**
 * Above a number of waiting records, the others of an ordered subscription share this many queues,
 * so that memory stays bounded however many records wait. It must not change: the group of a waiting
 * delivery is in its header.
 */
export const recordGroups = 256

/** Returns the group of a record: FNV-1a with 32 bits. Another version has to find the same one. */
export function groupOf(recordId: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < recordId.length; at++) {
    value = Math.imul(value ^ recordId.charCodeAt(at), 0x01000193)
  }
  value ^= value >>> 15
  return (value >>> 0) % recordGroups
}

/** Names a queue of paused deliveries. @param group null: the queue of all records */
export const queueIdOf = (subscriptionId: string, group: number | null): string =>
  group === null ? subscriptionId : `${subscriptionId}#${group}`

/** Names the queue of one record. */
export const recordQueueIdOf = ({ subscriptionId, recordId }: JobRecord, group: number): string =>
  `${queueIdOf(subscriptionId, group)}/${recordId}`
