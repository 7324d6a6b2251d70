/** Pseudo-random numbers that are the same for the same seed. */
export type Random = {
  /** A whole number from `from` to `to`, both included. */
  int(from: number, to: number): number
  pick<T>(from: readonly [T, ...T[]]): T
  shuffled<T>(items: readonly T[]): T[]
}

/** The generator mulberry32. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const int = (from: number, to: number) => from + Math.floor(next() * (to - from + 1))
  return {
    int,
    pick: (from) => from[int(0, from.length - 1)] ?? from[0],
    shuffled(items) {
      const sorted = [...items]
      for (let last = sorted.length - 1; last > 0; last--) {
        const other = int(0, last)
        ;[sorted[last], sorted[other]] = [sorted[other], sorted[last]] as [never, never]
      }
      return sorted
    },
  }
}
