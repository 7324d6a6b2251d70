import { type KeyedRequest, oncePerKey } from '@surehook/service-kit/idempotency/once-per-key'
import { inTransaction } from '@surehook/service-kit/postgres/pool'
import type { Pool, PoolClient } from 'pg'
import type { TableDefinition } from '../../table-definition.ts'
import { idempotencyTable } from '../../tables/record-statements.ts'
import { asItIs, type KnownTable } from '../../tables/table-cache.ts'
import { isCurrentTable } from '../../tables/table-catalogue.ts'
import type { StoredRecord } from '../preconditions.ts'
import { type RuledCall, runStatement } from '../sql/run-statement.ts'

export type Write = RuledCall & {
  statement: Exclude<RuledCall['statement'], 'get'>
  once: KeyedRequest | undefined
}

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
  const answer = await answerOnce(pool, { once, table: known.definition }, async (tx) => {
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

/** Returns `null` if nothing was written, or if the table is no longer as the caller knows it. */
async function answerOnce(
  pool: Pool,
  { once, table }: { once: KeyedRequest; table: TableDefinition },
  work: (tx: PoolClient) => Promise<string>,
): Promise<string | null> {
  try {
    return await inTransaction(pool, async (tx) => {
      const { answer, repeated } = await oncePerKey(tx, idempotencyTable, once, () => work(tx))
      // A statement finds out itself. A stored answer must not be shown by older rules.
      return repeated && !(await isCurrentTable(tx, table)) ? null : answer
    })
  } catch (err) {
    if (err instanceof NothingWritten) return null
    throw err
  }
}
