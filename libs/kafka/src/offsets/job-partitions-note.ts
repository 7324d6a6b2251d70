/**
 * The note of webhook-matcher in its commits of `changes`: among how many partitions it divides the
 * jobs. It is lower than the number of partitions until earlier jobs are rerouted.
 */
export function encodeJobPartitions(partitions: number): Uint8Array {
  const note = Buffer.alloc(bytes)
  note.writeUInt32BE(partitions)
  return note
}

/** Returns null for a commit of a version before partitions could be added. */
export const decodeJobPartitions = (note: Uint8Array | null): number | null =>
  note?.length === bytes ? Buffer.from(note).readUInt32BE() : null

const bytes = 4
