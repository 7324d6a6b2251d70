import { visible } from './visible.ts'

type Cells = readonly (readonly string[])[]

/** A cell without a value. */
const noValue = '-'

/** Formats rows as lines with aligned columns. The first row has the titles. */
export function textTable(cells: Cells): string[] {
  const rows = cells.map((row) => row.map(visible))
  const widths = widthsOf(rows)
  return rows.map((row) => aligned(row, widths))
}

/**
 * The same for a terminal with lines of `columns` characters. If the lines would be longer, leaves
 * out what no row has a value of, and then continues each row on further, indented lines.
 */
export function fittingTable(cells: Cells, columns = Number.POSITIVE_INFINITY): string[] {
  const isTooWide = textTable(cells).some((line) => line.length > columns)
  if (!isTooWide) return textTable(cells)
  const rows = withValues(cells).map((row) => row.map(visible))
  const widths = widthsOf(rows)
  const starts = lineStarts(widths, columns)
  return rows.flatMap((row) =>
    starts.map((start, line) => {
      const end = starts[line + 1]
      const text = aligned(row.slice(start, end), widths.slice(start, end))
      return line === 0 ? text : `${indent}${text}`
    }),
  )
}

const gap = '  '
const indent = '  '

const widthsOf = (rows: Cells): number[] =>
  (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))

const aligned = (row: readonly string[], widths: readonly number[]): string =>
  row
    .map((cell, at) => cell.padEnd(widths[at] ?? 0))
    .join(gap)
    .trimEnd()

function withValues(cells: Cells): Cells {
  const [titles = [], ...rows] = cells
  const isEmpty = titles.map((_, at) => rows.every((row) => row[at] === noValue))
  return cells.map((row) => row.filter((_, at) => !isEmpty[at]))
}

/** Returns the column that each line of a row begins with. */
function lineStarts(widths: readonly number[], columns: number): number[] {
  const starts = [0]
  let length = widths[0] ?? 0
  for (const [at, width] of widths.entries()) {
    if (at === 0) continue
    length += gap.length + width
    if (length <= columns) continue
    starts.push(at)
    length = indent.length + width
  }
  return starts
}

/** Formats an object as lines such as `auth.enabled  true`. */
export function textFields(thing: object): string[] {
  return textTable(leavesOf(thing).map(([path, value]) => [path, cellOf(value)]))
}

/** Lists all values that are not objects, by dotted path. */
export function leavesOf(thing: object, prefix = ''): [path: string, value: unknown][] {
  return Object.entries(thing).flatMap(([name, value]: [string, unknown]) => {
    const path = `${prefix}${name}`
    const isInner = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isInner ? leavesOf(value, `${path}.`) : [[path, value] as [string, unknown]]
  })
}

export function cellOf(value: unknown): string {
  if (value === null || value === undefined) return noValue
  if (Array.isArray(value)) return value.length === 0 ? noValue : visible(value.join(', '))
  return visible(typeof value === 'string' ? value : JSON.stringify(value))
}
