/**
 * The first 64 bits of an id, as two numbers. They identify ids that are hashes without collisions
 * in practice.
 */
export type ShortId = readonly [high: number, low: number]

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Returns `null` for a text that is no UUID. */
export function shortIdOf(text: string): ShortId | null {
  if (!uuid.test(text)) return null
  const high = Number.parseInt(text.slice(0, 8), 16)
  const low = Number.parseInt(text.slice(9, 13) + text.slice(14, 18), 16)
  return [high, low]
}

export const uuidBytes = 16

/** Writes the 16 bytes of a UUID. */
export function writeUuid(text: string, into: Buffer, at: number): void {
  into.write(text.replaceAll('-', ''), at, uuidBytes, 'hex')
}

/** Returns the UUID in lower case. */
export function readUuid(from: Buffer, at: number): string {
  const hex = from.toString('hex', at, at + uuidBytes)
  const cuts = [0, 8, 12, 16, 20, 32]
  return cuts
    .slice(1)
    .map((end, index) => hex.slice(cuts[index], end))
    .join('-')
}
