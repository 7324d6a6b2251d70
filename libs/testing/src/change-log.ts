import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import type { ChangeEvent } from '@surehook/contracts/events'
import { changeKey } from '@surehook/contracts/ids'
import { changesTopic } from '@surehook/contracts/topics'
import type { createKafka } from '@surehook/kafka/client/client'
import type { EventCodec } from '@surehook/schemas/codec'

export type Change = ChangeEvent & { data: Record<string, unknown> }

/** The events read from `changes`, in the order of its partitions. */
export type ChangeLog = AsyncDisposable & {
  of(projectId: string): Change[]
  /** Resolves with the project's changes once there are `count`, or once `isThere` returns true. */
  until(projectId: string, isThere: number | ((changes: Change[]) => boolean)): Promise<Change[]>
}

export async function openChangeLog(
  kafka: ReturnType<typeof createKafka>,
  codec: EventCodec,
): Promise<ChangeLog> {
  const changes: Change[] = []
  const arrivals = new EventEmitter().setMaxListeners(0)
  const consumer = kafka.consumer({ groupId: `test-${randomUUID()}`, maxWaitTimeInMs: 100 })
  await consumer.connect()
  await consumer.subscribe({ topic: changesTopic, fromBeginning: true })
  await consumer.run({
    autoCommit: false,
    async eachMessage({ message: { key, value } }) {
      const change = await codec.change.decode(value ?? Buffer.alloc(0))
      if (String(key) !== changeKey(change)) throw new Error(`wrong key ${String(key)}`)
      changes.push({ ...change, data: JSON.parse(change.record) as Record<string, unknown> })
      arrivals.emit('change')
    },
  })
  const of = (projectId: string) => changes.filter((change) => change.projectId === projectId)
  return {
    of,
    async until(projectId, isThere) {
      const done = typeof isThere === 'number' ? (all: Change[]) => all.length >= isThere : isThere
      const signal = AbortSignal.timeout(20_000)
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
