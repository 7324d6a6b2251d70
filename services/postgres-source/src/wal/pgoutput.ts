import { ByteReader } from './byte-reader.ts'

/** The columns of a table from here in the WAL on, sent before its first row and after its DDL. */
export type RelationMessage = {
  tag: 'relation'
  /** The table's OID, which a rename keeps. */
  oid: number
  schema: string
  name: string
  /** `d`: the primary key, `n`: nothing, `f`: the full row, `i`: an index. */
  replicaIdentity: string
  columns: readonly RelationColumn[]
}

export type RelationColumn = {
  name: string
  typeOid: number
  /** True if the replica identity has the column: with `f`, all have it. */
  inIdentity: boolean
}

/** PostgreSQL's text of a value. `null`: NULL. `undefined`: the row did not change this large value. */
export type TupleValue = string | null | undefined
export type Tuple = readonly TupleValue[]

export type RowMessage =
  | { tag: 'insert'; oid: number; row: Tuple }
  /** `before` is the old row if the replica identity is FULL, otherwise `null`. */
  | { tag: 'update'; oid: number; before: Tuple | null; row: Tuple }
  | { tag: 'delete'; oid: number; before: Tuple | null }

export type PgoutputMessage =
  /** `commit` is the LSN of the commit, `committedAt` its time in ms since the epoch. */
  | { tag: 'begin'; commit: bigint; committedAt: number }
  /** `end` is the position after the commit. */
  | { tag: 'commit'; end: bigint }
  | RelationMessage
  | RowMessage
  | { tag: 'truncate'; oids: readonly number[] }
  | { tag: 'message'; transactional: boolean; prefix: string; content: string }

/** PostgreSQL counts microseconds from 2000-01-01. */
const epochMs = Date.UTC(2000, 0, 1)

/**
 * Decodes a message of the plugin pgoutput, protocol version 1. Values stay PostgreSQL's text, since
 * a parser of JavaScript numbers or dates would lose digits. Returns `null` for messages that name an
 * origin or a type. Throws if a message cannot be read: it must not be confirmed.
 *
 * Source: PostgreSQL documentation, "Logical Replication Message Formats".
 */
export function decodePgoutput(buffer: Buffer): PgoutputMessage | null {
  const reader = new ByteReader(buffer)
  const tag = String.fromCharCode(reader.byte())
  const decode = decoders[tag]
  if (decode === undefined) throw new Error(`Unknown replication message ${JSON.stringify(tag)}`)
  return decode(reader)
}

const ignored = () => null

const decoders: Record<string, (reader: ByteReader) => PgoutputMessage | null> = {
  B: begin,
  C: commit,
  R: relation,
  I: (reader) => {
    const oid = reader.uint32()
    expectTag(reader, 'N')
    return { tag: 'insert', oid, row: tuple(reader) }
  },
  U: update,
  D: (reader) => {
    const oid = reader.uint32()
    const tag = expectTag(reader, 'OK')
    const identity = tuple(reader)
    return { tag: 'delete', oid, before: tag === 'O' ? identity : null }
  },
  T: truncate,
  M: logicalMessage,
  O: ignored,
  Y: ignored,
}

function begin(reader: ByteReader): PgoutputMessage {
  const lsn = reader.uint64()
  const micros = reader.int64()
  return { tag: 'begin', commit: lsn, committedAt: epochMs + Number(micros / 1000n) }
}

function commit(reader: ByteReader): PgoutputMessage {
  // Flags and the LSN of the commit.
  reader.byte()
  reader.uint64()
  return { tag: 'commit', end: reader.uint64() }
}

function relation(reader: ByteReader): RelationMessage {
  const oid = reader.uint32()
  // An empty text stands for pg_catalog.
  const schema = reader.cString() || 'pg_catalog'
  const name = reader.cString()
  const replicaIdentity = String.fromCharCode(reader.byte())
  const columns = Array.from({ length: reader.int16() }, () => relationColumn(reader))
  return { tag: 'relation', oid, schema, name, replicaIdentity, columns }
}

function relationColumn(reader: ByteReader): RelationColumn {
  const inIdentity = (reader.byte() & 1) === 1
  const name = reader.cString()
  const typeOid = reader.uint32()
  // The type modifier, for example the length of a varchar.
  reader.int32()
  return { name, typeOid, inIdentity }
}

function update(reader: ByteReader): PgoutputMessage {
  const oid = reader.uint32()
  const tag = expectTag(reader, 'KON')
  if (tag === 'N') return { tag: 'update', oid, before: null, row: tuple(reader) }
  const identity = tuple(reader)
  expectTag(reader, 'N')
  // With tag K, all values but those of the key are NULL.
  return { tag: 'update', oid, before: tag === 'O' ? identity : null, row: tuple(reader) }
}

function truncate(reader: ByteReader): PgoutputMessage {
  const count = reader.uint32()
  // CASCADE, RESTART IDENTITY.
  reader.byte()
  return { tag: 'truncate', oids: Array.from({ length: count }, () => reader.uint32()) }
}

function logicalMessage(reader: ByteReader): PgoutputMessage {
  const transactional = (reader.byte() & 1) === 1
  // Its LSN.
  reader.uint64()
  const prefix = reader.cString()
  return { tag: 'message', transactional, prefix, content: reader.text(reader.uint32()) }
}

function tuple(reader: ByteReader): Tuple {
  const values: TupleValue[] = []
  for (let left = reader.int16(); left > 0; left--) values.push(tupleValue(reader))
  return values
}

function tupleValue(reader: ByteReader): TupleValue {
  const kind = expectTag(reader, 'tnu')
  if (kind === 't') return reader.text(reader.uint32())
  return kind === 'n' ? null : undefined
}

function expectTag(reader: ByteReader, allowed: string): string {
  const tag = String.fromCharCode(reader.byte())
  if (!allowed.includes(tag)) throw new Error(`Unexpected ${JSON.stringify(tag)} in a message`)
  return tag
}
