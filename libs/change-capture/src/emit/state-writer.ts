import type { OutgoingRecord } from '@surehook/kafka/producer/producer'
import type { EventCodec } from '@surehook/schemas/codec'
import { unavailable } from '@surehook/service-kit/errors'
import { inTransaction } from '@surehook/service-kit/postgres/pool'
import type { Pool, PoolClient } from 'pg'
import { anyPosition, waitUntilRelayed } from '../slot/wait-relayed.ts'
import { emit, type WalMessage } from './capture.ts'

/**
 * A message for a state topic: the whole state of one entity, or one fact. `null` is a tombstone,
 * which deletes a state. A topic of facts has no tombstones.
 */
export type StateMessage = { topic: string; key: string; state: object | null }

export type EmitState = (message: StateMessage) => Promise<void>

/** Runs a transaction within a limit. */
export type Within = <T>(transaction: () => Promise<T>) => Promise<T>

export type StateWriter = {
  /**
   * Runs `work` in a transaction and resolves once Kafka has acknowledged its messages. Rejects
   * with SERVICE_UNAVAILABLE before `work` starts if Kafka is known to be unreachable. If Kafka
   * fails later, the change is committed and relayed afterwards, and the caller should repeat the
   * call.
   * @param within runs the transaction, but not the wait for Kafka
   */
  write<T>(work: (tx: PoolClient, emit: EmitState) => Promise<T>, within?: Within): Promise<T>
  /**
   * Like `write`, but also runs `work` while Kafka is unreachable, and then rejects with
   * SERVICE_UNAVAILABLE. For changes that must apply locally at once, even if other services learn
   * of them later.
   */
  writeAlways<T>(work: (tx: PoolClient, emit: EmitState) => Promise<T>): Promise<T>
  /**
   * Resolves once Kafka has acknowledged all messages committed before this call, including those
   * of other callers.
   */
  relayed(): Promise<void>
}

export type StateWriterOptions = {
  pool: Pool
  /** Reads the position of the relay, for all callers together. Default: `pool`. */
  relayPool?: Pool
  service: string
  slot: string
  producer: { readonly healthy: boolean }
  relay: { readonly healthy: boolean }
  timeoutMs?: number
}

/**
 * For state that other services hold as a view: a change is answered only when they can read it.
 */
export function createStateWriter(options: StateWriterOptions): StateWriter {
  const { pool, relayPool = pool, service, slot, producer, relay, timeoutMs = 10_000 } = options
  const assertRelayHealthy = () => {
    if (!producer.healthy || !relay.healthy) throw unavailable('State cannot be relayed now')
  }
  const writeAlways: StateWriter['write'] = async (work, within = (run) => run()) => {
    const emitted: string[] = []
    const transaction = () =>
      inTransaction(pool, (tx) =>
        work(tx, async ({ topic, key, state }) => {
          const body = state === null ? '' : JSON.stringify(state)
          emitted.push(await emit(tx, { service, header: { topic, key }, body }))
        }),
      )
    const result = await within(transaction)
    const last = emitted.at(-1)
    if (last === undefined) return result
    assertRelayHealthy()
    await waitUntilRelayed(relayPool, slot, last, { timeoutMs })
    return result
  }
  return {
    async write(work, within) {
      assertRelayHealthy()
      return writeAlways(work, within)
    },
    writeAlways,
    relayed: () => waitUntilRelayed(relayPool, slot, anyPosition, { timeoutMs }),
  }
}

/** Builds the Kafka record of a captured state: the value in its topic's schema, or a tombstone. */
export function stateRecord(codec: Pick<EventCodec, 'ofTopic'>) {
  return ({ header, body }: WalMessage): OutgoingRecord => ({
    topic: header.topic,
    key: header.key,
    value: body === '' ? null : codec.ofTopic(header.topic).encode(JSON.parse(body)),
  })
}
