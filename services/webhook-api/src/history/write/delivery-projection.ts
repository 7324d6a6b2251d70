import type { DeliveryAttempt } from '@surehook/contracts/events'
import { attemptsTopic, deliveriesTopic } from '@surehook/contracts/topics'
import type { KafkaMessage } from '@surehook/kafka/client/surface'
import { type EventCodec, type TypeCodec, UndecodableError } from '@surehook/schemas/codec'
import { reasonOf } from '@surehook/service-kit/errors'
import { halvesOf } from '@surehook/service-kit/halves'
import { jobFault, transitionFault } from '../read/delivery-faults.ts'
import type { LoggedJob } from '../rows/logged-job.ts'
import type { DeliveryStore } from './delivery-store.ts'
import { codeOf } from './write-chunks.ts'

export type TopicBatch = { topic: string; partition: number; messages: readonly KafkaMessage[] }
export type RefusedDelivery = {
  topic: string
  partition: number
  message: Pick<KafkaMessage, 'key' | 'value' | 'offset'>
  reason: string
}

/**
 * A decoded message and its place. It does not keep the message itself, which would keep the whole
 * fetch response in memory.
 */
export type LogItem = {
  topic: string
  partition: number
  offset: string
} & ({ job: LoggedJob; transition: null } | { job: null; transition: DeliveryAttempt })

export type ProjectionDeps = {
  store: Pick<DeliveryStore, 'add'>
  codec: Pick<EventCodec, 'jobHead' | 'attempt'>
  /** Moves a message that can never be stored aside. Resolves once Kafka has it. */
  refuse: (refused: RefusedDelivery) => Promise<void>
}

export type DeliveryProjection = {
  /** Decodes a batch; undecodable messages are refused. */
  read(batch: TopicBatch): Promise<LogItem[]>
  /** Writes items into the log. Items may be repeated. */
  write(items: readonly LogItem[]): Promise<void>
  /** Moves an item aside that the database refuses for this reason. */
  refuse(item: LogItem, reason: unknown): Promise<void>
}

export const projectedTopics = [deliveriesTopic, attemptsTopic] as const

/** Writes the delivery topics into the delivery log. */
export function createDeliveryProjection(deps: ProjectionDeps): DeliveryProjection {
  const { store, codec, refuse } = deps

  async function read({ topic, partition, messages }: TopicBatch): Promise<LogItem[]> {
    const items: LogItem[] = []
    for (const message of messages) {
      const { offset } = message
      // The broker's clock, because a wrong clock in this process must not cause gaps in the log.
      const at = Number(message.timestamp)
      const place = { topic, partition, offset }
      try {
        if (topic === deliveriesTopic) {
          const decoded = decode(codec.jobHead, message)
          const head = decoded instanceof Promise ? await decoded : decoded
          check(jobFault(head, at))
          const job = Object.assign(head, { place: { partition, offset: Number(offset) } })
          items.push({ ...place, job, transition: null })
        } else {
          const decoded = decode(codec.attempt, message)
          const transition = decoded instanceof Promise ? await decoded : decoded
          check(transitionFault(transition, at))
          items.push({ ...place, job: null, transition })
        }
      } catch (err) {
        if (!(err instanceof UndecodableError)) throw err
        await refuse({ topic, partition, message, reason: err.message })
      }
    }
    return items
  }

  /**
   * Halves a chunk that the database refuses, until only the refused items are left, so that the
   * rest is stored.
   */
  async function write(items: readonly LogItem[]): Promise<void> {
    const [first] = items
    if (first === undefined) return
    try {
      await store.add({
        jobs: items.flatMap(({ job }) => job ?? []),
        transitions: items.flatMap(({ transition }) => transition ?? []),
      })
    } catch (err) {
      if (!isDataFault(err)) throw err
      if (items.length === 1) return refuseItem(first, err)
      for (const half of halvesOf(items)) await write(half)
    }
  }

  /** A job needs no copy, because it can still be read at its place. */
  function refuseItem(item: LogItem, err: unknown): Promise<void> {
    const { topic, partition, offset, transition } = item
    const key = transition && Buffer.from(transition.deliveryId)
    const message = { offset, key, value: transition && codec.attempt.encode(transition) }
    return refuse({ topic, partition, message, reason: `Refused by the log: ${reasonOf(err)}` })
  }

  return { read, write, refuse: refuseItem }
}

/** Synchronous if possible: one promise per message would cost more than the message. */
function decode<T>(
  codec: Pick<TypeCodec<T>, 'decode'>,
  { value: bytes }: KafkaMessage,
): T | Promise<T> {
  if (bytes === null) throw new UndecodableError('No value')
  return codec.decode(bytes)
}

function check(fault: string | null): void {
  if (fault !== null) throw new UndecodableError(fault)
}

/** PostgreSQL's class 22, "data exception": the same values will fail again. */
const isDataFault = (err: unknown): boolean => codeOf(err).startsWith('22')
