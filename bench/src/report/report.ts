import { rssMiBOf, servicesOf, type Usage } from '../measure/processes.ts'

/** One line of the result. */
export type Row = { measure: string; value: string; target?: string }

/** Everything that was printed, for `--json`. */
export const printed: (Row & { title: string })[] = []

export function printRows(title: string, rows: readonly Row[]): void {
  printed.push(...rows.map((row) => ({ title, ...row })))
  const width = Math.max(...rows.map(({ measure }) => measure.length))
  console.log(`\n${title}`)
  for (const { measure, value, target } of rows) {
    console.log(`  ${measure.padEnd(width)}  ${value}${target ? `   (target ${target})` : ''}`)
  }
}

/**
 * What each component used between two readings for 1,000 of something, and how many of them one core does.
 * @param mine the component whose share is reported by itself
 */
export function costRows(
  before: Usage,
  after: Usage,
  { count, mine, target }: { count: number; mine: string; target?: string | undefined },
): Row[] {
  const used = usedBetween(before, after)
  const total = used.reduce((sum, { cpuS }) => sum + cpuS, 0)
  const own = used.find(({ name }) => name === mine)?.cpuS ?? 0
  const perThousand = (cpuS: number) => `${((cpuS * 1000) / count).toFixed(3)} CPU-s per 1,000`
  return [
    {
      measure: `per core of ${mine}`,
      value: perSecond(count, own * 1000),
      ...(target !== undefined && { target }),
    },
    { measure: 'per core of everything', value: perSecond(count, total * 1000) },
    ...used.map(({ name, cpuS }) => ({ measure: name, value: perThousand(cpuS) })),
    { measure: 'everything', value: perThousand(total) },
  ]
}

/** Of deliveries that came more than once or not at all; empty if there are none. */
export const lossRows = ({ repeated, missing }: { repeated: number; missing: number }): Row[] =>
  Object.entries({ repeated, missing })
    .filter(([, count]) => count > 0)
    .map(([measure, count]) => ({ measure, value: count.toLocaleString('en'), target: '0' }))

/** Whether a delivery did not come in anything that was printed. */
export const isAnyMissing = (): boolean => printed.some(({ measure }) => measure === 'missing')

function usedBetween(before: Usage, after: Usage) {
  return Object.entries(after).map(([name, { cpuS, rssMiB }]) => ({
    name,
    cpuS: cpuS - (before[name]?.cpuS ?? 0),
    rssMiB,
  }))
}

/** What each component used between two readings, and all of them for 1,000 deliveries. */
export function usageRows(
  before: Usage,
  after: Usage,
  { deliveries, target }: { deliveries: number; target?: string },
): Row[] {
  const used = usedBetween(before, after)
  const total = used.reduce((sum, { cpuS }) => sum + cpuS, 0)
  return [
    ...used.map(({ name, cpuS, rssMiB }) => ({
      measure: name,
      value: `${cpuS.toFixed(2)} CPU-s, ${fineMs((cpuS * 1_000) / deliveries)} each, ${rssMiB.toFixed(0)} MiB`,
    })),
    {
      measure: 'memory of all services afterwards',
      value: `${rssMiBOf(servicesOf(after)).toFixed(0)} MiB`,
      target: '< 1.2 GiB',
    },
    {
      measure: 'CPU-seconds per 1,000 deliveries, everything',
      value: ((total * 1000) / deliveries).toFixed(3),
      ...(target !== undefined && { target }),
    },
  ]
}

export const perSecond = (count: number, ms: number): string => rateOf((count * 1000) / ms)

export const rateOf = (rate: number): string => `${Math.round(rate).toLocaleString('en')}/s`

const fineMs = (ms: number) => `${ms.toFixed(2)} ms`

export const milliseconds = (ms: number): string => `${ms.toFixed(1)} ms`
