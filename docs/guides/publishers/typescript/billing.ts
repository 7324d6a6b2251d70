import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { type NewChange, openChangePublisher } from '@surehook/publisher'

// A service with a table of its own: `billing.ts issue <id> <amount>`, `billing.ts pay <id>`.
const env = process.env
const database = new DatabaseSync(env['DATABASE'] ?? 'billing.sqlite')
database.exec(`
  CREATE TABLE IF NOT EXISTS invoice (id TEXT PRIMARY KEY, amount TEXT NOT NULL, paid_at TEXT);
  CREATE TABLE IF NOT EXISTS outbox (place INTEGER PRIMARY KEY AUTOINCREMENT, change TEXT NOT NULL);
`)

/** The row and its change are one commit: neither can be there without the other. */
function write(operation: 'INSERT' | 'UPDATE', id: string, work: () => void): void {
  database.exec('BEGIN IMMEDIATE')
  work()
  const record = database
    .prepare('SELECT id, amount, paid_at AS "paidAt" FROM invoice WHERE id = ?')
    .get(id)
  if (record === undefined) throw new Error(`there is no invoice ${id}`)
  const change: NewChange = {
    // Made here and kept: receivers tell repetitions by it.
    id: randomUUID(),
    timestamp: new Date().toISOString(),
    projectId: env['PROJECT'] ?? 'shop',
    environment: env['ENVIRONMENT'] ?? 'master',
    table: 'invoices',
    recordId: id,
    operation,
    record,
    ...(operation === 'UPDATE' && { changedFields: ['paidAt'] }),
  }
  database.prepare('INSERT INTO outbox (change) VALUES (?)').run(JSON.stringify(change))
  database.exec('COMMIT')
}

/** In the order of their commits; what is not acknowledged stays, and is published again. */
async function publishOutbox(): Promise<void> {
  await using publisher = await openChangePublisher({
    brokers: (env['KAFKA_BROKERS'] ?? 'localhost:9092').split(','),
    schemaRegistryUrl: env['SCHEMA_REGISTRY_URL'] ?? 'http://localhost:8081/apis/ccompat/v7',
    source: 'billing',
  })
  const waiting = database.prepare('SELECT place, change FROM outbox ORDER BY place').all()
  if (waiting.length === 0) return
  await publisher.publish(waiting.map(({ change }) => JSON.parse(String(change)) as NewChange))
  database.prepare('DELETE FROM outbox WHERE place <= ?').run(waiting.at(-1)?.['place'] ?? 0)
}

const [command, id = '', amount = ''] = process.argv.slice(2)
if (command === 'issue') {
  write('INSERT', id, () => {
    database.prepare('INSERT INTO invoice (id, amount) VALUES (?, ?)').run(id, amount)
  })
}
if (command === 'pay') {
  write('UPDATE', id, () => {
    const paidAt = new Date().toISOString()
    database.prepare('UPDATE invoice SET paid_at = ? WHERE id = ?').run(paidAt, id)
  })
}
await publishOutbox()
