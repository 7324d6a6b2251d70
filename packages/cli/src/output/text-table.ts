import { visible } from './visible.ts'

/** Formats rows as lines with aligned columns. The first row has the titles. */
export function textTable(cells: readonly (readonly string[])[]): string[] {
  const rows = cells.map((row) => row.map(visible))
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.map((row) => row[at]?.length ?? 0)),
  )
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
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
  if (value === null || value === undefined) return '-'
  if (Array.isArray(value)) return value.length === 0 ? '-' : visible(value.join(', '))
  return visible(typeof value === 'string' ? value : JSON.stringify(value))
}
