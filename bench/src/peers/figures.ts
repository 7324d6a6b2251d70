import { median } from '../compare/medians.ts'

/** The figures of one load in one round. */
export type LoadFigures = {
  /** Deliveries per second, from the first write to the last receipt. */
  rate: number
  /** CPU-seconds of the whole system per 1,000 deliveries. */
  cpuS: number
  /** Cores used by the whole system. */
  cores: number
  /** Milliseconds from the write to the receipt. */
  p50: number
  p99: number
  /** TLS POSTs per second of the machine without the system, measured just before. */
  limit: number
  repeated: number
  missing: number
}

/** MiB including the share of shared memory (PSS), and cores in use. */
export type StateFigures = { allMiB: number; servicesMiB: number; cores: number }

/** The figures of each load, one of each shape of the system. */
export type ShapeRows<Figures = LoadFigures> = readonly (readonly [string, readonly Figures[]])[]

const medianKeys = ['rate', 'cpuS', 'cores', 'p50', 'p99', 'limit'] as const

/** The median of each figure. Repeated and missing deliveries are summed. */
export function mediansOfRounds(rounds: readonly LoadFigures[]): LoadFigures {
  const sum = (key: 'repeated' | 'missing') => rounds.reduce((all, one) => all + one[key], 0)
  const medians = Object.fromEntries(
    medianKeys.map((key) => [key, median(rounds.map((one) => one[key]))]),
  ) as Omit<LoadFigures, 'repeated' | 'missing'>
  return { ...medians, repeated: sum('repeated'), missing: sum('missing') }
}
