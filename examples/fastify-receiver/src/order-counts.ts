import { DatabaseSync } from 'node:sqlite'

export type OrderCounts = {
  /** Counts an order of the customer, once for each delivery. */
  countOnce(deliveryId: string, customer: string): void
  /** Returns the number of orders by customer. */
  all(): Record<string, number>
}

export function openOrderCounts(file: string): OrderCounts {
  const database = new DatabaseSync(file, { timeout: 5_000 })
  database.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE IF NOT EXISTS delivery (id TEXT PRIMARY KEY) STRICT;
    CREATE TABLE IF NOT EXISTS customer (name TEXT PRIMARY KEY, orders INTEGER NOT NULL) STRICT;
  `)
  const remember = database.prepare('INSERT INTO delivery (id) VALUES (?) ON CONFLICT DO NOTHING')
  const count = database.prepare(`
    INSERT INTO customer (name, orders) VALUES (?, 1)
    ON CONFLICT (name) DO UPDATE SET orders = orders + 1
  `)
  const select = database.prepare('SELECT name, orders FROM customer ORDER BY name')
  return {
    countOnce(deliveryId, customer) {
      database.exec('BEGIN IMMEDIATE')
      try {
        if (remember.run(deliveryId).changes === 1) count.run(customer)
        database.exec('COMMIT')
      } catch (err) {
        database.exec('ROLLBACK')
        throw err
      }
    },
    all: () => Object.fromEntries(select.all().map((row) => [row['name'], Number(row['orders'])])),
  }
}
