import type { OutgoingRecord } from '@surehook/kafka/producer/producer'
import type { EventCodec } from '@surehook/schemas/codec'
import { unavailable } from '@surehook/service-kit/errors'
import { inTransaction } from '@surehook/service-kit/postgres/pool'
import type { Pool, PoolClient } from 'pg'
import { anyPosition, waitUntilRelayed } from '../relay/wait-relayed.ts'
import { type Captured, emit } from './capture.ts'

/**
 * What goes on a topic: the whole state of one thing, or one fact. `null` is a tombstone, which ends
 * a state and has no meaning on the topic of a fact.
 */
export type StateMessage = { topic: string; key: string; state: object | null }

export type EmitState = (message: StateMessage) => Promise<void>

export type StateWriter = {
  /**
   * Runs `work` in a transaction and resolves once what it emitted is acknowledged on its topic.
   * Rejects with SERVICE_UNAVAILABLE before it begins when Kafka is known to be away; when Kafka
   * goes away in the middle, the change is made, follows by itself, and the caller should repeat.
   */
  write<T>(work: (tx: PoolClient, emit: EmitState) => Promise<T>): Promise<T>
  /**
   * As `write`, but does its work also while Kafka is known to be away, and rejects with SERVICE_UNAVAILABLE
   * afterwards: for what must hold here at once, whoever cannot hear of it yet.
   */
  writeAlways<T>(work: (tx: PoolClient, emit: EmitState) => Promise<T>): Promise<T>
  /** Resolves once everything that others committed before this call is acknowledged, too. */
  relayed(): Promise<void>
}

export type StateWriterOptions = {
  pool: Pool
  service: string
  slot: string
  producer: { readonly healthy: boolean }
  relay: { readonly healthy: boolean }
  timeoutMs?: number
}

/** For services whose state others hold as a view: a change is answered only when they can see it. */
export function createStateWriter(options: StateWriterOptions): StateWriter {
  const { pool, service, slot, producer, relay, timeoutMs = 10_000 } = options
  const demandRelay = () => {
    if (!producer.healthy || !relay.healthy) throw unavailable('State cannot be relayed now')
  }
  const writeAlways: StateWriter['writeAlways'] = async (work) => {
    const emitted: string[] = []
    const result = await inTransaction(pool, (tx) =>
      work(tx, async ({ topic, key, state }) => {
        const body = state === null ? '' : JSON.stringify(state)
        emitted.push(await emit(tx, { service, header: { topic, key }, body }))
      }),
    )
    const last = emitted.at(-1)
    if (last === undefined) return result
    demandRelay()
    await waitUntilRelayed(pool, slot, last, { timeoutMs })
    return result
  }
  return {
    async write(work) {
      demandRelay()
      return writeAlways(work)
    },
    writeAlways,
    relayed: () => waitUntilRelayed(pool, slot, anyPosition, { timeoutMs }),
  }
}

/** What the relay sends for a captured state: its value in the schema of its topic, or a tombstone. */
export function stateRecord(codec: Pick<EventCodec, 'ofTopic'>) {
  return ({ header, body }: Captured): OutgoingRecord => ({
    topic: header.topic,
    key: header.key,
    value: body === '' ? null : codec.ofTopic(header.topic).encode(JSON.parse(body)),
  })
}
