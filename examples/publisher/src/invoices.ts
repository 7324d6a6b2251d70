import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'

export type Invoice = { id: string; amount: string; paidAt: string | null }

export type Change = {
  id: string
  timestamp: string
  operation: 'INSERT' | 'UPDATE'
  record: Invoice
  changedFields: string[]
}

export type Invoices = {
  issue(amount: string): Invoice
  /** Returns null if there is no unpaid invoice with this id. */
  pay(id: string): Invoice | null
  /** Returns the oldest changes that are not published. */
  unpublished(limit: number): Change[]
  published(changes: readonly Change[]): void
}

/** The table of this service, and an outbox of its changes. */
export function openInvoices(file: string): Invoices {
  const database = new DatabaseSync(file)
  database.exec(`
    CREATE TABLE IF NOT EXISTS invoice (id TEXT PRIMARY KEY, amount TEXT NOT NULL, paid_at TEXT) STRICT;
    CREATE TABLE IF NOT EXISTS outbox (
      position INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL,
      change TEXT NOT NULL
    ) STRICT;
  `)
  const insert = database.prepare('INSERT INTO invoice (id, amount) VALUES (?, ?)')
  const setPaid = database.prepare(
    'UPDATE invoice SET paid_at = ? WHERE id = ? AND paid_at IS NULL RETURNING amount',
  )
  const addChange = database.prepare('INSERT INTO outbox (id, change) VALUES (?, ?)')
  const oldest = database.prepare('SELECT change FROM outbox ORDER BY position LIMIT ?')
  const remove = database.prepare('DELETE FROM outbox WHERE id = ?')

  /** The row and its change are one commit. */
  function inTransaction<T>(work: () => T): T {
    database.exec('BEGIN IMMEDIATE')
    try {
      const result = work()
      database.exec('COMMIT')
      return result
    } catch (err) {
      database.exec('ROLLBACK')
      throw err
    }
  }

  function record(change: Omit<Change, 'id' | 'timestamp'>): void {
    // Receivers recognise a repeated change by its id.
    const id = randomUUID()
    addChange.run(id, JSON.stringify({ id, timestamp: new Date().toISOString(), ...change }))
  }

  return {
    issue: (amount) =>
      inTransaction(() => {
        const invoice = { id: randomUUID(), amount, paidAt: null }
        insert.run(invoice.id, amount)
        record({ operation: 'INSERT', record: invoice, changedFields: [] })
        return invoice
      }),
    pay: (id) =>
      inTransaction(() => {
        const paidAt = new Date().toISOString()
        const row = setPaid.get(paidAt, id)
        if (row === undefined) return null
        const invoice = { id, amount: String(row['amount']), paidAt }
        record({ operation: 'UPDATE', record: invoice, changedFields: ['paidAt'] })
        return invoice
      }),
    unpublished: (limit) =>
      oldest.all(limit).map(({ change }) => JSON.parse(String(change)) as Change),
    published: (changes) => inTransaction(() => changes.forEach(({ id }) => void remove.run(id))),
  }
}
