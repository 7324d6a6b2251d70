import { type KeyedRequest, oncePerKey } from '@surehook/service-kit/idempotency/once-per-key'
import { inTransaction } from '@surehook/service-kit/postgres/pool'
import type { Pool, PoolClient } from 'pg'
import { asItIs, type KnownTable } from '../../tables/table-cache.ts'
import type { StoredRecord } from '../preconditions.ts'
import { runStatement, type StatementCall } from '../sql/run-statement.ts'

export type Write = StatementCall & {
  statement: Exclude<StatementCall['statement'], 'get'>
  once: KeyedRequest | undefined
}

/** Stores each key with its answer: the number of the table's columns, then one record per line. */
export const idempotencyTable = 'idempotency_key'

/**
 * Runs a statement that writes. Returns the records reduced to what the caller may read. With an
 * idempotency key it runs once; a repeated request gets the first answer.
 */
export async function runWrite(
  pool: Pool,
  known: KnownTable,
  { once, ...call }: Write,
): Promise<StoredRecord[]> {
  const columns = known.definition.columns.length
  if (once === undefined) {
    const texts = await runStatement(pool, known, call)
    return texts.map((text) => ({ text, columns }))
  }
  const answer = await answerOnce(pool, once, async (tx) => {
    const texts = await runStatement(tx, { ...known, view: asItIs }, call)
    // Nothing was written, so the key stays free.
    if (texts.length === 0) throw new NothingWritten()
    return [columns, ...texts].join('\n')
  })
  if (answer === null) return []
  const [columnsThen, ...texts] = answer.split('\n')
  // The caller's permissions are applied to each answer, also to a repeated one.
  const { view = asItIs } = known
  return texts.map((text) => ({ text: view(text), columns: Number(columnsThen) }))
}

class NothingWritten extends Error {}

async function answerOnce(
  pool: Pool,
  once: KeyedRequest,
  work: (tx: PoolClient) => Promise<string>,
): Promise<string | null> {
  try {
    const { answer } = await inTransaction(pool, (tx) =>
      oncePerKey(tx, idempotencyTable, once, () => work(tx)),
    )
    return answer
  } catch (err) {
    if (err instanceof NothingWritten) return null
    throw err
  }
}
