import type { KeyUse } from './key-pair.ts'

/** When a key counts; times in epoch milliseconds. */
export type KeyTimes = {
  readonly kid: string
  readonly use: KeyUse
  readonly createdAt: number
  readonly activeFrom: number
  /** Of the tokens made with it, in seconds. */
  readonly longestTtl: number
}

/** After the last token has expired by its own clock. */
const graceMs = 60_000

/**
 * The key that new tokens are made with: the latest that is active, else the first to be. Activity is by the
 * database's clock, which may be ahead of ours when the first key has just been made.
 */
export function currentKey<Key extends KeyTimes>(
  keys: readonly Key[],
  use: KeyUse,
  nowMs: number,
): Key | undefined {
  const ofUse = keys.filter((key) => key.use === use).toSorted(byActivity)
  return ofUse.findLast(({ activeFrom }) => activeFrom <= nowMs) ?? ofUse[0]
}

/** Keys that still count: the current one, those to come, and older ones until their last token expired. */
export function livingKeys<Key extends KeyTimes>(keys: readonly Key[], nowMs: number): Key[] {
  return keys.filter((key) => {
    const successor = keys
      .filter(({ use, activeFrom }) => use === key.use && activeFrom > key.activeFrom)
      .toSorted(byActivity)[0]
    if (successor === undefined) return true
    return nowMs < successor.activeFrom + key.longestTtl * 1_000 + graceMs
  })
}

/** Whether the newest key of this use has reached its age, and nothing newer is on its way. */
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
