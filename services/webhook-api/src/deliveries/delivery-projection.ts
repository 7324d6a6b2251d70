import { type EventCodec, type TypeCodec, UndecodableError } from '@surehook/contracts/codec'
import type { DeliveryAttempt, DeliveryJob } from '@surehook/contracts/events'
import { attemptsTopic, deliveriesTopic } from '@surehook/contracts/topics'
import type { KafkaMessage } from 'kafkajs'
import { jobFault, moveFault } from './delivery-faults.ts'
import type { DeliveryStore } from './delivery-store.ts'

export type TopicBatch = { topic: string; partition: number; messages: readonly KafkaMessage[] }
export type Refused = { topic: string; partition: number; message: KafkaMessage; reason: string }

export type ProjectionDeps = {
  store: DeliveryStore
  codec: Pick<EventCodec, 'job' | 'attempt'>
  /** Puts a message aside that will never be readable, and resolves once that is safe. */
  refuse: (refused: Refused) => Promise<void>
  now: () => number
}

type Source<T> = {
  codec: TypeCodec<T>
  faultOf: (value: T, now: number) => string | null
  add: (values: readonly T[]) => Promise<void>
}

type Read<T> = { message: KafkaMessage; value: T }

export const projectedTopics = [deliveriesTopic, attemptsTopic] as const

/** Turns what is on the topics into the delivery log. A batch may come again, in part or whole. */
export function createDeliveryProjection({ store, codec, refuse, now }: ProjectionDeps) {
  const jobs: Source<DeliveryJob> = {
    codec: codec.job,
    faultOf: jobFault,
    add: (values) => store.addJobs(values),
  }
  const moves: Source<DeliveryAttempt> = {
    codec: codec.attempt,
    faultOf: moveFault,
    add: (values) => store.addMoves(values),
  }

  async function project<T>(source: Source<T>, batch: TopicBatch): Promise<void> {
    const readable: Read<T>[] = []
    for (const message of batch.messages) {
      const read = await readMessage(source, message, now())
      if ('reason' in read) await refuse({ ...placeOf(batch), ...read })
      else readable.push(read)
    }
    await add(source, batch, readable)
  }

  /** What the database itself finds unacceptable is cornered by halves, so that the rest goes on. */
  async function add<T>(source: Source<T>, batch: TopicBatch, read: Read<T>[]): Promise<void> {
    const [first] = read
    if (first === undefined) return
    try {
      await source.add(read.map(({ value }) => value))
    } catch (err) {
      const reason = dataFault(err)
      if (reason === null) throw err
      if (read.length === 1) return refuse({ ...placeOf(batch), message: first.message, reason })
      const middle = Math.ceil(read.length / 2)
      await add(source, batch, read.slice(0, middle))
      await add(source, batch, read.slice(middle))
    }
  }

  return (batch: TopicBatch): Promise<void> =>
    batch.topic === deliveriesTopic ? project(jobs, batch) : project(moves, batch)
}

async function readMessage<T>(
  { codec, faultOf }: Source<T>,
  message: KafkaMessage,
  now: number,
): Promise<Read<T> | { message: KafkaMessage; reason: string }> {
  if (message.value === null) return { message, reason: 'No value' }
  try {
    const value = await codec.decode(message.value)
    const fault = faultOf(value, now)
    return fault === null ? { message, value } : { message, reason: fault }
  } catch (err) {
    if (err instanceof UndecodableError) return { message, reason: err.message }
    throw err
  }
}

const placeOf = ({ topic, partition }: TopicBatch) => ({ topic, partition })

/** PostgreSQL's class 22, "data exception": the same values will fail again. */
function dataFault(err: unknown): string | null {
  const code = err instanceof Error && 'code' in err ? String(err.code) : ''
  return err instanceof Error && code.startsWith('22') ? `Refused by the log: ${err.message}` : null
}
