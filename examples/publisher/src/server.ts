import { setTimeout as sleep } from 'node:timers/promises'
import express from 'express'
import { type Invoices, openInvoices } from './invoices.ts'
import { openTransport, type Publish } from './transport.ts'

/** Publishes the outbox in order. A batch stays there, with its ids, until it is acknowledged. */
async function publishOutbox(invoices: Invoices, publish: Publish): Promise<never> {
  for (;;) {
    const batch = invoices.unpublished(100)
    try {
      if (batch.length > 0) await publish(batch)
      invoices.published(batch)
    } catch (err) {
      console.error(err)
    }
    await sleep(200)
  }
}

const { PORT = '3000', DATABASE = 'invoices.sqlite' } = process.env
const invoices = openInvoices(DATABASE)

const app = express()
app.use(express.json())
app.post('/invoices', (req, res) => {
  const { amount } = (req.body ?? {}) as { amount?: unknown }
  if (typeof amount !== 'string' || !/^\d+\.\d\d$/.test(amount)) {
    res.status(400).json({ error: 'amount must be a decimal such as "99.50"' })
    return
  }
  res.status(201).json(invoices.issue(amount))
})
app.post('/invoices/:id/payment', (req, res) => {
  const paid = invoices.pay(req.params.id)
  if (paid === null) res.status(404).json({ error: 'There is no unpaid invoice with this id' })
  else res.json(paid)
})
app.listen(Number(PORT), '127.0.0.1')

// The process may die at any moment: the outbox keeps what was not published.
await publishOutbox(invoices, await openTransport(process.env))
