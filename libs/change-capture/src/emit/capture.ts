import type { Pool, PoolClient } from 'pg'

/** What a service writes into the WAL beside its rows: the relay makes a Kafka record of it. */
export type CapturedHeader = { topic: string; key: string } & Readonly<Record<string, unknown>>

/** As the relay reads it back. An empty body is a tombstone. */
export type Captured = { header: CapturedHeader; body: string }

export type CapturedMessage = Captured & { service: string }

/** Prefix of the WAL messages of one service; its relay reads no others. */
export function capturePrefix(service: string): string {
  if (!/^[a-z][a-z0-9-]*$/.test(service)) throw new Error(`Not a service name: ${service}`)
  return `surehook/${service}`
}

/**
 * The SQL expression that writes one message, to be part of the statement that changes the row:
 * both commit, or neither. It yields the LSN. `headerSql` must give JSON without line breaks (as
 * `json_build_object` does), and neither may be NULL: PostgreSQL would write nothing.
 */
export function captureSql(service: string, headerSql: string, bodySql: string): string {
  return `pg_logical_emit_message(true, '${capturePrefix(service)}', (${headerSql})::text || E'\\n' || (${bodySql})::text)`
}

/**
 * Writes one message in the caller's transaction (or in its own with a pool). Returns its LSN, which
 * `waitUntilRelayed` takes once the transaction is committed.
 */
export async function emit(db: Pool | PoolClient, message: CapturedMessage): Promise<string> {
  const { service, header, body } = message
  const { rows } = await db.query<{ lsn: string }>(
    'select pg_logical_emit_message(true, $1::text, $2::text)::text as lsn',
    [capturePrefix(service), `${JSON.stringify(header)}\n${body}`],
  )
  const lsn = rows[0]?.lsn
  if (lsn === undefined) throw new Error('PostgreSQL returned no LSN')
  return lsn
}

/** Throws when the content was not written by `emit` or `captureSql`. */
export function parseCaptured(content: string): Captured {
  const lineEnd = content.indexOf('\n')
  if (lineEnd < 0) throw new Error('No header line')
  const header: unknown = JSON.parse(content.slice(0, lineEnd))
  if (!isHeader(header)) throw new Error('The header has no topic or no key')
  return { header, body: content.slice(lineEnd + 1) }
}

function isHeader(header: unknown): header is CapturedHeader {
  if (typeof header !== 'object' || header === null) return false
  const { topic, key } = header as Partial<CapturedHeader>
  return typeof topic === 'string' && typeof key === 'string'
}
