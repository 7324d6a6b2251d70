/**
 * A value as text that PostgreSQL casts to the column's type, or a fault of the value at `path`
 * inside it.
 */
export type ParsedValue = { text: string } | { fault: string; path: readonly string[] }

export const accepted = (text: string): ParsedValue => ({ text })
export const refused = (fault: string, path: readonly string[] = []): ParsedValue => ({
  fault,
  path,
})
