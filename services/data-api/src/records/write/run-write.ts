import { type KeyedRequest, oncePerKey } from '@surehook/service-kit/idempotency/once-per-key'
import { inTransaction } from '@surehook/service-kit/postgres/pool'
import type { Pool, PoolClient } from 'pg'
import type { KnownTable } from '../../tables/table-cache.ts'
import type { RecordStatements } from '../sql/record-statements.ts'
import { runStatement } from '../sql/run-statement.ts'
import type { StoredRecord } from './preconditions.ts'

export type Write = {
  statement: Exclude<keyof RecordStatements, 'get'>
  values: unknown[]
  once: KeyedRequest | undefined
}

/** Where the keys are kept, each with its answer: how many columns the table had, then a record per line. */
export const idempotencyTable = 'idempotency_key'

/**
 * Runs a statement that writes, as far as the caller may see what it gives. With an idempotency key: once; who repeats the
 * request gets what it gave then.
 */
export async function runWrite(
  pool: Pool,
  known: KnownTable,
  { statement, values, once }: Write,
): Promise<StoredRecord[]> {
  const columns = known.definition.columns.length
  if (once === undefined) {
    const texts = await runStatement(pool, known, { statement, values })
    return texts.map((text) => ({ text, columns }))
  }
  const answer = await answerOnce(pool, once, async (tx) => {
    const texts = await runStatement(tx, { ...known, view: asItIs }, { statement, values })
    // Without a record it was nothing: its key stays free.
    if (texts.length === 0) throw new NothingWritten()
    return [columns, ...texts].join('\n')
  })
  if (answer === null) return []
  const [columnsThen, ...texts] = answer.split('\n')
  // What the caller may see is asked anew each time.
  const { view = asItIs } = known
  return texts.map((text) => ({ text: view(text), columns: Number(columnsThen) }))
}

const asItIs = (record: string) => record

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
