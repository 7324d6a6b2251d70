import { milliseconds, rateOf } from '../report/report.ts'
import type { LoadFigures, StateFigures } from './figures.ts'

/** Returns a Markdown table, to be copied into a page. */
export function tableOf(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const lines = [heads, heads.map(() => '---'), ...rows]
  return lines.map((cells) => `| ${cells.join(' | ')} |`)
}

/** The table of full loads. */
export const fullTable = (lines: readonly (readonly [string, LoadFigures])[]): string[] =>
  tableOf(
    ['flat out', 'deliveries/s (limit)', 'CPU-s per 1,000', 'p50, p99'],
    lines.map(([what, { rate, limit, cpuS, p50, p99 }]) => [
      what,
      `${rateOf(rate)} (${rateOf(limit)})`,
      cpuS.toFixed(2),
      `${milliseconds(p50)}, ${milliseconds(p99)}`,
    ]),
  )

/** The table of low rates. */
export const calmTable = (lines: readonly (readonly [string, LoadFigures])[]): string[] =>
  tableOf(
    ['at a rate: reached (limit)', 'p50, p99', 'CPU-s per 1,000', 'cores'],
    lines.map(([what, { rate, limit, p50, p99, cpuS, cores }]) => [
      `${what}: ${rateOf(rate)} (${rateOf(limit)})`,
      `${milliseconds(p50)}, ${milliseconds(p99)}`,
      cpuS.toFixed(2),
      cores.toFixed(3),
    ]),
  )

export const stateTable = (lines: readonly (readonly [string, StateFigures])[]): string[] =>
  tableOf(
    ['memory (PSS)', 'everything', 'the services', 'cores'],
    lines.map(([what, { allMiB, servicesMiB, cores }]) => [
      what,
      `${allMiB.toFixed(0)} MiB`,
      `${servicesMiB.toFixed(0)} MiB`,
      cores.toFixed(3),
    ]),
  )
