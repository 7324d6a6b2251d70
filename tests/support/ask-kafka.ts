import type { createKafka } from '@surehook/kafka/client/client'
import { untilAnswered } from './until-answered.ts'

type Kafka = ReturnType<typeof createKafka>
export type Admin = ReturnType<Kafka['admin']>

/** Asks on a new connection, and retries while brokers come and go. */
export function askKafka<T>(kafka: Kafka, ask: (admin: Admin) => Promise<T>): Promise<T> {
  return untilAnswered(async () => {
    const admin = kafka.admin()
    try {
      await admin.connect()
      return await ask(admin)
    } finally {
      // The broker of this connection has gone.
      await admin.disconnect().catch(() => undefined)
    }
  })
}
