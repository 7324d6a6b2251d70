import type { Pool, PoolClient } from 'pg'

/**
 * Header of a message that a service writes into the WAL with its rows. The relay turns the message
 * into a Kafka record.
 */
export type CapturedHeader = { topic: string; key: string } & Readonly<Record<string, unknown>>

/** A captured message after parsing. An empty body is a tombstone. */
export type WalMessage = { header: CapturedHeader; body: string }

export type CapturedMessage = WalMessage & { service: string }

/** Prefix of the WAL messages of one service. Its relay ignores all other messages. */
export function capturePrefix(service: string): string {
  if (!/^[a-z][a-z0-9-]*$/.test(service)) throw new Error(`Not a service name: ${service}`)
  return `surehook/${service}`
}

/**
 * SQL expression that writes one message and returns its LSN. Put it into the statement that
 * changes the row, so that both commit or neither. `headerSql` must return JSON without line
 * breaks, as `json_build_object` does. Neither argument may be NULL: PostgreSQL would write
 * nothing.
 */
export function captureSql(service: string, headerSql: string, bodySql: string): string {
  const text = `(${headerSql})::text || E'\\n' || (${bodySql})::text`
  return `pg_logical_emit_message(true, '${capturePrefix(service)}', ${text})`
}

/**
 * Writes one message in the caller's transaction, or in its own if `db` is a pool. Returns the LSN
 * of the message. Pass it to `waitUntilRelayed` after the commit.
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

/**
 * Writes the messages of one service in one statement. Nothing waits for the relay: with the commit
 * they are in the WAL.
 */
export async function emitAll(
  db: Pool | PoolClient,
  service: string,
  messages: readonly WalMessage[],
): Promise<void> {
  if (messages.length === 0) return
  await db.query(
    `select pg_logical_emit_message(true, $1::text, content)
     from unnest($2::text[]) with ordinality as message (content, nth) order by nth`,
    [
      capturePrefix(service),
      messages.map(({ header, body }) => `${JSON.stringify(header)}\n${body}`),
    ],
  )
}

/** Throws when none of `emit`, `emitAll` and `captureSql` wrote the content. */
export function parseCaptured(content: string): WalMessage {
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
