import type { ChangeEvent } from '@surehook/contracts/events'
import { changeKey } from '@surehook/contracts/ids'
import { changesTopic } from '@surehook/contracts/topics'
import { createKafka } from '@surehook/kafka/client/client'
import { openEventCodec } from '@surehook/schemas/codec'
import { waitUntil } from '@surehook/service-kit/wait-until'
import { log, sharedStack } from './under-test.ts'

export type UserChange = ChangeEvent & { data: Record<string, unknown> }

export type UserChanges = AsyncDisposable & {
  /** Resolves with the project's changes once there are `count`, in order for each user. */
  until(projectId: string, count: number): Promise<UserChange[]>
  of(projectId: string): UserChange[]
}

/** Reads the topic `changes`. */
export async function followUserChanges(): Promise<UserChanges> {
  const { kafkaBrokers, schemaRegistryUrl } = sharedStack()
  const codec = await openEventCodec({ registryUrl: schemaRegistryUrl })
  const kafka = createKafka({ brokers: [kafkaBrokers], clientId: 'test', log })
  const consumer = kafka.consumer({ groupId: `test-${crypto.randomUUID()}`, maxWaitTimeInMs: 100 })
  const changes: UserChange[] = []
  await consumer.connect()
  await consumer.subscribe({ topic: changesTopic, fromBeginning: true })
  await consumer.run({
    autoCommit: false,
    async eachMessage({ message: { key, value } }) {
      const change = await codec.change.decode(value ?? Buffer.alloc(0))
      if (String(key) !== changeKey(change)) throw new Error(`wrong key ${String(key)}`)
      changes.push({ ...change, data: JSON.parse(change.record) as Record<string, unknown> })
    },
  })
  const of = (projectId: string) => changes.filter((change) => change.projectId === projectId)
  return {
    of,
    async until(projectId, count) {
      const isThere = () => of(projectId).length >= count
      await waitUntil(isThere, { what: `${count} changes`, timeoutMs: 20_000 })
      return of(projectId)
    },
    [Symbol.asyncDispose]: () => consumer.disconnect(),
  }
}
