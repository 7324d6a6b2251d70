import { rssMiBOf, servicesOf, type Usage } from '../measure/processes.ts'

/** One line of the results. */
export type Row = { measure: string; value: string; target?: string }

/** All printed results, for `--json`. */
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
 * Returns the usage of each component between two readings per 1,000 items, and the items per core.
 * @param mine the component whose share is reported separately
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

/** Returns rows for repeated and missing deliveries; empty if there are none. */
export const lossRows = ({ repeated, missing }: { repeated: number; missing: number }): Row[] =>
  Object.entries({ repeated, missing })
    .filter(([, count]) => count > 0)
    .map(([measure, count]) => ({ measure, value: count.toLocaleString('en'), target: '0' }))

/** Returns whether any printed result has a missing delivery. */
export const isAnyMissing = (): boolean => printed.some(({ measure }) => measure === 'missing')

function usedBetween(before: Usage, after: Usage) {
  return Object.entries(after).map(([name, { cpuS, rssMiB }]) => ({
    name,
    cpuS: cpuS - (before[name]?.cpuS ?? 0),
    rssMiB,
  }))
}

/**
 * Returns the usage of each component between two readings, and that of all per 1,000 deliveries.
 */
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
      value:
        `${cpuS.toFixed(2)} CPU-s, ${fineMs((cpuS * 1_000) / deliveries)} each, ` +
        `${rssMiB.toFixed(0)} MiB`,
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
