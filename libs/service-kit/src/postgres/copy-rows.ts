import { finished } from 'node:stream/promises'
import type { PoolClient } from 'pg'
import { from } from 'pg-copy-streams'
import { type BinaryType, BinaryWriter, type Column, writeValue } from './binary-values.ts'

/**
 * Inserts rows with `COPY`, which writes many rows into one WAL record. It has no `on conflict`:
 * one row that is already there refuses all of them.
 */
export async function copyRows<Row>(
  tx: PoolClient,
  table: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): Promise<void> {
  const names = columns.map(({ name }) => name).join(', ')
  // Encoded first: an open copy without its rows would block the connection.
  const encoded = binaryRows(columns, rows)
  const copy = tx.query(from(`copy ${table} (${names}) from stdin (format binary)`))
  copy.end(encoded)
  try {
    await finished(copy)
  } catch (err) {
    // After the timeout the copy has no connection any more. A late answer of the server would make
    // it send rows without one: an uncaught error, which ends the process.
    Object.assign(copy, {
      handleCopyInResponse: (connection: { sendCopyFail(reason: string): void }) =>
        connection.sendCopyFail('the copy took too long'),
    })
    throw err
  }
}

/** Encodes rows in the binary format of `COPY` (PostgreSQL, reference of `COPY`, file formats). */
export function binaryRows<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): Buffer {
  const writer = new BinaryWriter(header.length, rows.length * columns.length * 16)
  for (const row of rows) {
    writer.int16(columns.length)
    for (const column of columns) writeColumn(writer, column, row)
  }
  writer.int16(endOfRows)
  const encoded = writer.end()
  header.copy(encoded)
  return encoded
}

function writeColumn<Row, Type extends BinaryType>(
  writer: BinaryWriter,
  { type, valueOf }: Column<Row, Type>,
  row: Row,
): void {
  const value = valueOf(row)
  if (value === null) writer.null()
  else writeValue[type](writer, value)
}

/** The signature, no flags, and no extension of the header. */
const header = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)])
const endOfRows = -1
