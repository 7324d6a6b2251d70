import type { ColumnType } from '@surehook/contracts/http/data/tables'
import { parseJson } from './json-value.ts'
import { parseBigint, parseDecimal, parseDouble, parseInteger } from './number-value.ts'
import type { ParsedValue } from './parsed-value.ts'
import { parseBoolean, parseText, parseUuid } from './text-value.ts'
import { parseDate, parseTimestamp } from './time-value.ts'

export type ValueType = {
  /** The type of the PostgreSQL column. */
  sql: string
  /** The type that a parameter is cast to: `sql` without the parts that apply only to columns. */
  cast: string
  /** Never called with `null`: the column decides whether it may be empty. */
  parse: (value: unknown) => ParsedValue
  /** SQL for the value in the record's JSON. */
  toJson: (expression: string) => string
  sortable: boolean
}

const asIs = (expression: string) => expression
const asText = (expression: string) => `${expression}::text`

/** ISO 8601 in UTC with milliseconds and Z, in any time zone of the session. */
export const isoTimestamp = (expression: string): string =>
  `to_char(${expression} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const plain = (sql: string, parse: ValueType['parse'], toJson = asIs): ValueType => ({
  sql,
  cast: sql,
  parse,
  toJson,
  sortable: true,
})

/** Every column type: the values it accepts, how they are stored and how they are returned. */
export const valueTypes: Record<ColumnType, ValueType> = {
  // Ordered by code point, as the filter's predicate orders text.
  text: { ...plain('text', parseText), sql: 'text collate "C"' },
  integer: plain('integer', parseInteger),
  // JSON numbers of many clients are exact only up to 2^53.
  bigint: plain('bigint', parseBigint, asText),
  double: plain('double precision', parseDouble),
  decimal: plain('numeric', parseDecimal, asText),
  boolean: plain('boolean', parseBoolean),
  timestamp: plain('timestamptz(3)', parseTimestamp, isoTimestamp),
  date: plain('date', parseDate),
  uuid: plain('uuid', parseUuid),
  json: { ...plain('jsonb', parseJson), sortable: false },
}
