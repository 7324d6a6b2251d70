import { setTimeout as wait } from 'node:timers/promises'
import type { createKafka } from '@surehook/service-kit/kafka/client'

type Kafka = ReturnType<typeof createKafka>
export type Admin = ReturnType<Kafka['admin']>

const withinMs = 30_000

/** With a connection of its own, and again while brokers come and go: an answer is what the test is not about. */
export async function askKafka<T>(kafka: Kafka, ask: (admin: Admin) => Promise<T>): Promise<T> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const admin = kafka.admin()
    try {
      await admin.connect()
      return await ask(admin)
    } catch (err) {
      if (performance.now() > deadline) throw err
      await wait(200)
    } finally {
      // With the broker it was connected to.
      await admin.disconnect().catch(() => undefined)
    }
  }
}
