import type { Column } from '../table-definition.ts'
import { type ParsedValue, refused } from './parsed-value.ts'
import { valueTypes } from './value-types.ts'

/** An index entry of PostgreSQL holds no more than about a third of a page. */
const maxUniqueBytes = 2_000

/** Parses a value other than `null` for this column. */
export function parseColumnValue(
  column: Pick<Column, 'type' | 'unique'>,
  value: unknown,
): ParsedValue {
  const parsed = valueTypes[column.type].parse(value)
  if ('fault' in parsed || !column.unique) return parsed
  return Buffer.byteLength(parsed.text) <= maxUniqueBytes
    ? parsed
    : refused(`must have at most ${maxUniqueBytes} bytes, the column being unique`)
}
