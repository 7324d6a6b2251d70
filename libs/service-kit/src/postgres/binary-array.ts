import {
  type BinaryType,
  type BinaryValues,
  BinaryWriter,
  type Column,
  writeValue,
} from './binary-values.ts'

/**
 * Encodes a column for `unnest($1::uuid[])` in PostgreSQL's binary form, which node-postgres sends
 * unchanged. The text form would have to be quoted and parsed value by value.
 */
export function binaryArray<Type extends BinaryType, Row>(
  type: Type,
  rows: readonly Row[],
  valueOf: (row: Row) => BinaryValues[Type] | null,
): Buffer {
  const writer = new BinaryWriter(headerBytes, rows.length * 20)
  const write = writeValue[type]
  let hasNull = 0
  for (const row of rows) {
    const value = valueOf(row)
    if (value === null) {
      hasNull = 1
      writer.null()
    } else write(writer, value)
  }
  const array = writer.end()
  const header = [1, hasNull, oids[type], rows.length, 1]
  for (const [place, value] of header.entries()) array.writeInt32BE(value, place * 4)
  return array
}

/** Encodes the values of a column. */
export const binaryColumn = <Type extends BinaryType, Row>(
  { type, valueOf }: Column<Row, Type>,
  rows: readonly Row[],
): Buffer => binaryArray(type, rows, valueOf)

const headerBytes = 20

const oids: Record<BinaryType, number> = {
  uuid: 2950,
  text: 25,
  integer: 23,
  bigint: 20,
  bytea: 17,
  timestamptz: 1184,
  date: 1082,
}
