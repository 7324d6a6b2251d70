import { type Client, DatabaseError } from 'pg'

/** A row that could not be written back, and PostgreSQL's reason. */
export type RefusedRow = { row: string; reason: string }

/**
 * Classes of errors that only concern the row: data, integrity, and names or types of columns.
 * Without 42501, a missing permission, which concerns every row.
 */
const ofRow = /^(?:22|23|42(?!501))/

/**
 * Does the work in the open transaction. If PostgreSQL refuses the row, it takes the work back and
 * returns the reason, so that the other rows are still written. Otherwise returns null.
 */
export async function tryRow(db: Client, work: () => Promise<unknown>): Promise<string | null> {
  await db.query('savepoint row')
  try {
    await work()
    await db.query('release savepoint row')
    return null
  } catch (err) {
    if (!(err instanceof DatabaseError && ofRow.test(err.code ?? ''))) throw err
    await db.query('rollback to savepoint row')
    await db.query('release savepoint row')
    return err.message
  }
}
