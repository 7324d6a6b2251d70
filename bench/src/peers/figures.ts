import { median } from '../compare/medians.ts'

/** What one round measured of one load. */
export type LoadFigures = {
  /** Deliveries per second, from the first write to the last receipt. */
  rate: number
  /** CPU-seconds of the whole system per 1,000 deliveries. */
  cpuS: number
  /** Cores of the whole system. */
  cores: number
  /** Milliseconds from the write to the receipt. */
  p50: number
  p99: number
  /** TLS POSTs per second that the machine does without the system, just before. */
  limit: number
  repeated: number
  missing: number
}

/** MiB with the part of what is shared (PSS), and cores in use. */
export type StateFigures = { allMiB: number; servicesMiB: number; cores: number }

const medianKeys = ['rate', 'cpuS', 'cores', 'p50', 'p99', 'limit'] as const

/** Of each figure by itself; what was repeated or is missing adds up. */
export function mediansOfRounds(rounds: readonly LoadFigures[]): LoadFigures {
  const sum = (key: 'repeated' | 'missing') => rounds.reduce((all, one) => all + one[key], 0)
  const medians = Object.fromEntries(
    medianKeys.map((key) => [key, median(rounds.map((one) => one[key]))]),
  ) as Omit<LoadFigures, 'repeated' | 'missing'>
  return { ...medians, repeated: sum('repeated'), missing: sum('missing') }
}
