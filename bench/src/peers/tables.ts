import { milliseconds, rateOf } from '../report/report.ts'
import type { LoadFigures, ShapeRows, StateFigures } from './figures.ts'

/** Returns a Markdown table, to be copied into a page. */
function tableOf(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const lines = [heads, heads.map(() => '---'), ...rows]
  return lines.map((cells) => `| ${cells.join(' | ')} |`)
}

/** Figures of several shapes of the system, beside each other. */
type Shapes = readonly string[]

type Column<Figures> = { head: string; cell: (figures: Figures) => string }

function besideEachOther<Figures>(
  what: string,
  shapes: Shapes,
  { lines, columns }: { lines: ShapeRows<Figures>; columns: readonly Column<Figures>[] },
): string[] {
  const heads = shapes.flatMap((shape) => columns.map(({ head }) => `${shape}: ${head}`))
  return tableOf(
    [what, ...heads],
    lines.map(([name, ofShapes]) => [
      name,
      ...ofShapes.flatMap((figures) => columns.map(({ cell }) => cell(figures))),
    ]),
  )
}

const rate: Column<LoadFigures> = {
  head: 'deliveries/s (limit)',
  cell: (of) => `${rateOf(of.rate)} (${rateOf(of.limit)})`,
}
const cpu: Column<LoadFigures> = { head: 'CPU-s per 1,000', cell: (of) => of.cpuS.toFixed(2) }
const latency: Column<LoadFigures> = {
  head: 'p50, p99',
  cell: (of) => `${milliseconds(of.p50)}, ${milliseconds(of.p99)}`,
}
const cores: Column<{ cores: number }> = { head: 'cores', cell: (of) => of.cores.toFixed(3) }

/** The table of full loads. */
export const fullTable = (shapes: Shapes, lines: ShapeRows): string[] =>
  besideEachOther('flat out', shapes, { lines, columns: [rate, cpu, latency] })

/** The table of low rates. */
export const calmTable = (shapes: Shapes, lines: ShapeRows): string[] =>
  besideEachOther('at a rate', shapes, { lines, columns: [rate, latency, cpu, cores] })

const memory = (head: string, of: (figures: StateFigures) => number): Column<StateFigures> => ({
  head,
  cell: (figures) => `${of(figures).toFixed(0)} MiB`,
})

export const stateTable = (shapes: Shapes, lines: ShapeRows<StateFigures>): string[] =>
  besideEachOther('memory (PSS)', shapes, {
    lines,
    columns: [
      memory('everything', ({ allMiB }) => allMiB),
      memory('the services', ({ servicesMiB }) => servicesMiB),
      cores,
    ],
  })
