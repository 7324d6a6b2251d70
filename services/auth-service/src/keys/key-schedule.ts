import type { KeyUse } from './key-pair.ts'

/** The times of a key, in epoch milliseconds. */
export type KeyTimes = {
  readonly kid: string
  readonly use: KeyUse
  readonly createdAt: number
  readonly activeFrom: number
  /** The longest lifetime of the tokens made with the key, in seconds. */
  readonly longestTtl: number
}

/** How long a key stays after its last token expired, to allow for clocks that differ. */
const graceMs = 60_000

/**
 * Returns the key that new tokens are made with: the latest active one, or else the next to become
 * active. The second case exists because the database's clock, which sets `activeFrom`, may be
 * ahead when the first key has just been made.
 */
export function currentKey<Key extends KeyTimes>(
  keys: readonly Key[],
  use: KeyUse,
  nowMs: number,
): Key | undefined {
  const ofUse = keys.filter((key) => key.use === use).toSorted(byActivity)
  return ofUse.findLast(({ activeFrom }) => activeFrom <= nowMs) ?? ofUse[0]
}

/**
 * Keys to publish: the current one, future ones, and older ones until their last token has expired.
 */
export function livingKeys<Key extends KeyTimes>(keys: readonly Key[], nowMs: number): Key[] {
  return keys.filter((key) => {
    const successor = keys
      .filter(({ use, activeFrom }) => use === key.use && activeFrom > key.activeFrom)
      .toSorted(byActivity)[0]
    if (successor === undefined) return true
    return nowMs < successor.activeFrom + key.longestTtl * 1_000 + graceMs
  })
}

/** True if the newest key of this use has reached its maximum age, and no newer key is waiting. */
export function isDueForRotation(
  keys: readonly KeyTimes[],
  use: KeyUse,
  { nowMs, maxAgeMs }: { nowMs: number; maxAgeMs: number },
): boolean {
  const newest = keys
    .filter((key) => key.use === use)
    .toSorted(byActivity)
    .at(-1)
  return newest !== undefined && newest.createdAt + maxAgeMs <= nowMs
}

function byActivity(a: KeyTimes, b: KeyTimes): number {
  return a.activeFrom - b.activeFrom || (a.kid < b.kid ? -1 : 1)
}
