import type { ColumnType } from '@surehook/contracts/http/data/tables'
import { parseJson } from './json-value.ts'
import { parseBigint, parseDecimal, parseDouble, parseInteger } from './number-value.ts'
import type { ParsedValue } from './parsed-value.ts'
import { parseBoolean, parseText, parseUuid } from './text-value.ts'
import { parseDate, parseTimestamp } from './time-value.ts'

export type ValueType = {
  /** The type of the PostgreSQL column. */
  sql: string
  /** The type that a parameter is cast to: `sql` without what only a column has. */
  cast: string
  /** Never sees `null`: that a column may be empty is not the type's business. */
  parse: (value: unknown) => ParsedValue
  /** SQL for the value as it stands in the record's JSON. */
  toJson: (expression: string) => string
  sortable: boolean
}

const asIs = (expression: string) => expression
const asText = (expression: string) => `${expression}::text`

/** ISO 8601, UTC, milliseconds and Z, whatever the session's time zone. */
export const isoTimestamp = (expression: string): string =>
  `to_char(${expression} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const plain = (sql: string, parse: ValueType['parse'], toJson = asIs): ValueType => ({
  sql,
  cast: sql,
  parse,
  toJson,
  sortable: true,
})

/** Every column type: what it accepts, how it is kept and how it is shown. */
export const valueTypes: Record<ColumnType, ValueType> = {
  // Ordered by code point everywhere, as the filter's predicate orders text.
  text: { ...plain('text', parseText), sql: 'text collate "C"' },
  integer: plain('integer', parseInteger),
  // JSON numbers of other languages end at 2^53.
  bigint: plain('bigint', parseBigint, asText),
  double: plain('double precision', parseDouble),
  decimal: plain('numeric', parseDecimal, asText),
  boolean: plain('boolean', parseBoolean),
  timestamp: plain('timestamptz(3)', parseTimestamp, isoTimestamp),
  date: plain('date', parseDate),
  uuid: plain('uuid', parseUuid),
  json: { ...plain('jsonb', parseJson), sortable: false },
}
