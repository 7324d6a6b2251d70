import type { DeliveryAttempt, DeliveryJob, DeliveryStatus } from '@surehook/contracts/events'
import { deliveryTransition } from '@surehook/contracts/events/delivery-transition'
import { endpointId } from '@surehook/contracts/ids'
import {
  attemptsTopic,
  deadLetterTopic,
  deliveriesTopic,
  pausedTopic,
  retryTopic,
} from '@surehook/contracts/topics'
import type { EventProducer, OutgoingRecord } from '@surehook/kafka/producer/producer'
import { UnsendableError } from '@surehook/kafka/producer/unsendable-error'
import type { EventCodec } from '@surehook/schemas/codec'
import type { Logger } from 'pino'
import { type PausedMark, pausedHeaders } from '../delivery/paused-headers.ts'
import type { AttemptDecision, AttemptResult } from './decide-next-attempt.ts'
import type { Hop } from './retry-ladder.ts'

/** A transition of a delivery. Its number is the field `step` of the job. */
export type Transition =
  /**
   * After an attempt: delivered, cancelled, to the dead letters, or to a retry topic. With a group,
   * it waits for its retry on the paused topic, in the order of its record.
   */
  | { kind: 'attempted'; result: AttemptResult; next: AttemptDecision; group: number | null }
  /**
   * To the paused topic. `published`: its status becomes `paused`; otherwise it only waits for a
   * slot.
   */
  | { kind: 'pause'; published: boolean; group: number | null }
  /** From the paused topic to its end. */
  | { kind: 'relocate'; mark: PausedMark }
  /**
   * It waited for a slot on the paused topic. Its status now becomes `paused`, with the number that
   * it has there.
   */
  | { kind: 'publish' }
  /** To a retry topic, on the way to the time that its receiver asked for. */
  | ({ kind: 'wait'; wasPaused: boolean } & Hop)
  /** Its subscription is gone. */
  | { kind: 'cancel' }
  /**
   * Its subscription has another URL, or its endpoint belongs to another partition. It starts again
   * in the order of that endpoint.
   */
  | { kind: 'reroute'; url: string }

/**
 * `refused`: the topic never takes the job, so the delivery becomes a dead letter without its body.
 */
export type TransitionResult = 'made' | 'refused'

export type DeliveryPlaces = {
  /**
   * Partition of the job. Its next records stay there, so that one process has all of them even
   * while the topics get more partitions.
   */
  partition: number
  /** Returns the partition of an endpoint's deliveries. */
  partitionFor: (endpointId: string) => number
}

export type TransitionsDeps = {
  producer: Pick<EventProducer, 'send'>
  codec: Pick<EventCodec, 'job' | 'attempt'>
  log: Logger
}

/** The next record of the job, if any, and the transitions to publish. */
type Plan = {
  next: { topic: string; job: DeliveryJob; headers?: OutgoingRecord['headers'] } | null
  published: DeliveryAttempt[]
}

type AttemptedStatus = { status: DeliveryStatus; at: number; nextAttemptAt?: number | null }

const none = Buffer.alloc(0)

/**
 * Makes the transitions of jobs. Each resolves after Kafka's ack; only then may the job's previous
 * message be finished. Each raises the step by one, so that projections recognise repetitions.
 */
export class Transitions {
  readonly #deps: TransitionsDeps

  constructor(deps: TransitionsDeps) {
    this.#deps = deps
  }

  /** Rejects if Kafka did not take all records now but may later. */
  async make(
    job: DeliveryJob,
    transition: Transition,
    places: DeliveryPlaces,
  ): Promise<TransitionResult> {
    const { producer, log } = this.#deps
    const plan = planOf(job, transition, Date.now())
    try {
      await producer.send(this.#recordsOf(job, plan, places))
      return 'made'
    } catch (err) {
      if (!(err instanceof UnsendableError) || plan.next === null) throw err
      const { deliveryId, eventId, subscriptionId } = job
      log.warn({ deliveryId, eventId, subscriptionId, reason: err.message }, 'delivery.unsendable')
      // Records that were already sent are sent again. Readers drop a repeated transition.
      const buried = refused(plan.next, plan.published, err.message)
      await producer.send(this.#recordsOf(job, buried, places))
      return 'refused'
    }
  }

  /**
   * All records of a delivery have the key of its endpoint, so that readers of several topics get
   * its job and its transitions in one process.
   */
  #recordsOf(
    job: DeliveryJob,
    { next, published }: Plan,
    { partition: own, partitionFor }: DeliveryPlaces,
  ): OutgoingRecord[] {
    const { codec } = this.#deps
    const key = endpointId(next?.job ?? job)
    const partition = next?.topic === deliveriesTopic ? partitionFor(key) : own
    const records: OutgoingRecord[] = published.map((attempt) => ({
      ...{ topic: attemptsTopic, key, partition },
      value: codec.attempt.encode(attempt),
    }))
    if (next === null) return records
    const { topic, headers } = next
    const record = { topic, key, partition, value: codec.job.encode(next.job) }
    return [headers === undefined ? record : { ...record, headers }, ...records]
  }
}

function planOf(job: DeliveryJob, transition: Transition, at: number): Plan {
  switch (transition.kind) {
    case 'attempted':
      return afterAttempt(job, transition, at)
    case 'pause': {
      const { published, group } = transition
      // A retry in the order of its record that came from another partition may not be due.
      const dueAt = job.dueAt > at ? job.dueAt : 0
      const next = paused({ ...job, dueAt }, { run: 0, published, group })
      return {
        next,
        published: published ? [deliveryTransition(job, { status: 'paused', at })] : [],
      }
    }
    case 'relocate':
      return { next: paused(job, transition.mark), published: [] }
    case 'publish':
      return {
        next: null,
        published: [deliveryTransition({ ...job, step: job.step - 1 }, { status: 'paused', at })],
      }
    case 'wait': {
      const { delay, dueAt, wasPaused } = transition
      const next = { topic: retryTopic(delay.name), job: { ...job, step: job.step + 1, dueAt } }
      const retrying = { status: 'retrying', at, nextAttemptAt: job.notBefore } as const
      return { next, published: wasPaused ? [deliveryTransition(job, retrying)] : [] }
    }
    case 'cancel':
      return { next: null, published: [deliveryTransition(job, { status: 'cancelled', at })] }
    case 'reroute': {
      const { url } = transition
      const waits = url === job.url ? {} : { dueAt: 0, notBefore: 0, waitMs: 0 }
      const rerouted = { ...nextStepOf(job), ...waits, url, arrival: -1 }
      return { next: { topic: deliveriesTopic, job: rerouted }, published: [] }
    }
  }
}

function afterAttempt(
  job: DeliveryJob,
  { result, next, group }: Extract<Transition, { kind: 'attempted' }>,
  at: number,
): Plan {
  const headers = result.sentAs
  switch (next.kind) {
    case 'delivered':
      return { next: null, published: [attempted(job, result, { status: 'delivered', at })] }
    case 'retry': {
      const { dueAt, delay, notBefore = 0 } = next
      const waitMs = Math.max(0, (notBefore || dueAt) - at)
      const again = { ...nextStepOf(job), attempt: job.attempt + 1, dueAt, notBefore, waitMs }
      const nextAttemptAt = notBefore || dueAt
      const published = [attempted(job, result, { status: 'retrying', at, nextAttemptAt })]
      if (group === null)
        return { next: { topic: retryTopic(delay.name), job: again, headers }, published }
      const due = { ...again, dueAt: notBefore || dueAt }
      const queued = paused(due, { run: 0, published: false, group })
      return { next: { ...queued, headers: { ...headers, ...queued.headers } }, published }
    }
    case 'cancelled':
      return { next: null, published: [attempted(job, result, { status: 'cancelled', at })] }
    case 'dead-letter':
      return {
        next: { topic: deadLetterTopic, job: { ...job, step: job.step + 1 }, headers },
        published: [attempted(job, result, { status: 'dead_letter', at })],
      }
  }
}

/**
 * A job grows by some bytes from topic to topic, so one topic may refuse what another took. It
 * becomes a dead letter, like a job whose body was too large from the beginning.
 */
function refused(
  { topic, job, headers }: NonNullable<Plan['next']>,
  published: DeliveryAttempt[],
  reason: string,
): Plan {
  const withoutBody = { ...job, body: none }
  if (topic === deadLetterTopic) return { next: { topic, job: withoutBody, headers }, published }
  const ended = deliveryTransition(job, {
    status: 'dead_letter',
    at: Date.now(),
    errorClass: 'too_large',
    errorMessage: reason,
  })
  const buried = { ...withoutBody, step: job.step + 1 }
  return { next: { topic: deadLetterTopic, job: buried }, published: [...published, ended] }
}

const paused = (job: DeliveryJob, mark: PausedMark) => ({
  topic: pausedTopic,
  job: nextStepOf(job),
  headers: pausedHeaders(mark),
})

export const nextStepOf = (job: DeliveryJob): DeliveryJob => ({ ...job, step: job.step + 1 })

/**
 * Returns the job of a retry that waits in the order of its record. `retrying` is a transition of
 * its own, so that `paused` can follow if the circuit opens.
 */
export const retryInOrder = (job: DeliveryJob): DeliveryJob => nextStepOf(nextStepOf(job))

/** Builds the transition that an attempt leads to. */
function attempted(
  job: DeliveryJob,
  result: AttemptResult,
  { status, at, nextAttemptAt = null }: AttemptedStatus,
): DeliveryAttempt {
  const { latencyMs } = result
  const common = { status, at, nextAttemptAt, attempts: job.attempt, attempted: true, latencyMs }
  if (result.kind === 'unreachable') {
    const { errorClass, message: errorMessage } = result
    return deliveryTransition(job, { ...common, errorClass, errorMessage })
  }
  const errorClass = status === 'delivered' ? null : 'http'
  const { status: httpStatus, answer } = result
  return deliveryTransition(job, { ...common, httpStatus, answer, errorClass })
}
