import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import type { ChangeEvent } from '@surehook/contracts/events'
import { changeKey } from '@surehook/contracts/ids'
import { changesTopic } from '@surehook/contracts/topics'
import type { Kafka } from '@surehook/kafka/client/surface'
import type { EventCodec } from '@surehook/schemas/codec'
import { UndecodableError } from '@surehook/schemas/type-codec'
import { rawKafka } from './raw-kafka.ts'

export type Change = ChangeEvent & { data: Record<string, unknown> }

/**
 * The events read from `changes`, in the order of its partitions. Messages that are no events fail
 * only the tests of the project in their key: other tests write malformed ones on purpose.
 */
export type ChangeLog = AsyncDisposable & {
  of(projectId: string): Change[]
  /** Resolves with the project's changes once there are `count`, or once `isThere` returns true. */
  until(projectId: string, isThere: number | ((changes: Change[]) => boolean)): Promise<Change[]>
}

export async function openChangeLog(kafka: Kafka, codec: EventCodec): Promise<ChangeLog> {
  const changes: Change[] = []
  const malformed: { key: string; err: Error }[] = []
  const arrivals = new EventEmitter().setMaxListeners(0)
  const consumer = rawKafka(kafka).consumer({
    groupId: `test-${randomUUID()}`,
    maxWaitTimeInMs: 100,
  })
  await consumer.connect()
  await consumer.subscribe({ topics: [changesTopic], fromBeginning: true })
  await consumer.run({
    autoCommit: false,
    async eachMessage({ message: { key, value } }) {
      try {
        changes.push(await decode(codec, String(key), value))
      } catch (err) {
        // The registry may be away: kafkajs repeats the message.
        if (!(err instanceof UndecodableError || err instanceof SyntaxError)) throw err
        malformed.push({ key: String(key), err })
      }
      arrivals.emit('change')
    },
  })
  const of = (projectId: string) => {
    const own = malformed.find(({ key }) => key.startsWith(`${projectId}/`))
    if (own !== undefined) throw own.err
    return changes.filter((change) => change.projectId === projectId)
  }
  return {
    of,
    async until(projectId, isThere) {
      const done = typeof isThere === 'number' ? (all: Change[]) => all.length >= isThere : isThere
      const signal = AbortSignal.timeout(120_000)
      for (;;) {
        const found = of(projectId)
        if (done(found)) return found
        await once(arrivals, 'change', { signal }).catch(() => {
          throw new Error(`changes of ${projectId}: only ${found.length} came`)
        })
      }
    },
    async [Symbol.asyncDispose]() {
      await consumer.disconnect()
    },
  }
}

async function decode(codec: EventCodec, key: string, value: Buffer | null): Promise<Change> {
  const change = await codec.change.decode(value ?? Buffer.alloc(0))
  if (key !== changeKey(change)) throw new UndecodableError(`wrong key ${key}`)
  return { ...change, data: JSON.parse(change.record) as Record<string, unknown> }
}
