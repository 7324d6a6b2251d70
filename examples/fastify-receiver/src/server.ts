import { fastifyReceiver } from '@surehook/receiver/fastify'
import fastify from 'fastify'
import { openOrderCounts } from './order-counts.ts'

type Order = { id: string; customer: string }

const { PORT = '3000', WEBHOOK_SECRETS = '[]', DATABASE = 'counts.sqlite' } = process.env
const counts = openOrderCounts(DATABASE)

const app = fastify({ logger: true })
const receiver = fastifyReceiver<Order>('/hooks', {
  // During a rotation: the old secret and the new one.
  secrets: JSON.parse(WEBHOOK_SECRETS) as string[],
  // There is no `store`: the counts remember each delivery in the transaction of its effect.
  onEvent({ operation, record }, delivery) {
    if (operation === 'INSERT') counts.countOnce(delivery.id, record.customer)
  },
  onError: (err) => app.log.error(err),
})
await app.register(receiver)
app.get('/counts', () => counts.all())
// A TLS proxy on this machine forwards to it: Surehook sends to HTTPS only.
await app.listen({ port: Number(PORT), host: '127.0.0.1' })
