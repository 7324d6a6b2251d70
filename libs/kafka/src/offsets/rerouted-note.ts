/**
 * The note of webhook-dispatcher in its commits of `webhook.deliveries`. webhook-matcher reads it
 * after partitions were added.
 */
export type ReroutedNote = {
  /** The number of partitions that the owner knew. */
  partitions: number
  /**
   * Every job below this offset whose endpoint belongs to another of these partitions is there, and
   * no such delivery waits in this one.
   */
  below: number
}

const version = 1
const bytes = 11

export function encodeRerouted({ partitions, below }: ReroutedNote): Uint8Array {
  const note = Buffer.alloc(bytes)
  note[0] = version
  note.writeUInt32BE(partitions, 1)
  note.writeUIntBE(below, 5, 6)
  return note
}

/** Returns null for a commit without a readable note. */
export function decodeRerouted(note: Uint8Array | null): ReroutedNote | null {
  if (note?.length !== bytes || note[0] !== version) return null
  const read = Buffer.from(note)
  return { partitions: read.readUInt32BE(1), below: read.readUIntBE(5, 6) }
}
