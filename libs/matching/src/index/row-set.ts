/** Most sets have one row. A `Set` of one needs ten times its memory. */
export type RowSet = number | Set<number>

export function withRow(set: RowSet | undefined, row: number): RowSet {
  if (set === undefined || set === row) return row
  return set instanceof Set ? set.add(row) : new Set([set, row])
}

/** Returns undefined if no row is left. */
export function withoutRow(set: RowSet | undefined, row: number): RowSet | undefined {
  if (!(set instanceof Set)) return set === row ? undefined : set
  set.delete(row)
  return set.size === 0 ? undefined : set
}

export function eachRow(set: RowSet | undefined, take: (row: number) => void): void {
  if (set instanceof Set) for (const row of set) take(row)
  else if (set !== undefined) take(set)
}
