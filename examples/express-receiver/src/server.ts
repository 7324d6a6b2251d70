import { expressReceiver } from '@surehook/receiver/express'
import express from 'express'
import { openSqliteStore } from './sqlite-store.ts'

type Order = { id: string; customer: string; status: string }

const { PORT = '3000', WEBHOOK_SECRETS = '[]', DATABASE = 'deliveries.sqlite' } = process.env

const receiver = expressReceiver<Order>({
  // During a rotation: the old secret and the new one.
  secrets: JSON.parse(WEBHOOK_SECRETS) as string[],
  store: openSqliteStore(DATABASE),
  onEvent({ operation, record }) {
    console.log(`${operation} of the order ${record.id} of ${record.customer}: ${record.status}`)
  },
})

const app = express()
// Before `express.json()`, because the signature covers the raw bytes.
app.post('/hooks', receiver)
app.use(express.json())
// A TLS proxy on this machine forwards to it: Surehook sends to HTTPS only.
app.listen(Number(PORT), '127.0.0.1')
