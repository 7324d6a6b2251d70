import type { DeliveryAttempt, DeliveryJob, DeliveryStatus } from '@surehook/contracts/events'
import { endpointId } from '@surehook/contracts/ids'
import {
  attemptsTopic,
  deadLetterTopic,
  deliveriesTopic,
  pausedTopic,
  retryTopic,
} from '@surehook/contracts/topics'
import type { EventProducer, OutgoingRecord } from '@surehook/kafka/producer/producer'
import type { EventCodec } from '@surehook/schemas/codec'
import { type PausedMark, pausedHeaders } from '../paused/paused-headers.ts'
import type { AttemptResult, NextStep } from './decide-next-attempt.ts'

/** What becomes of a job: one step of its delivery. */
export type Transition =
  /** An attempt was made: delivered, to a retry topic, or to the dead letters. */
  | { kind: 'attempted'; result: AttemptResult; next: NextStep }
  /** To the paused topic; `told` when its status becomes `paused`, not when it only waits for room. */
  | { kind: 'pause'; told: boolean }
  /** From the paused topic to its end. */
  | { kind: 'relocate'; mark: PausedMark }
  /** It was paused for room, and is `paused` by now: told under the step that it has there already. */
  | { kind: 'tell' }
  /** Its subscription is gone. */
  | { kind: 'cancel' }
  /** Its subscription has another URL now: it starts again in the order of that endpoint. */
  | { kind: 'reroute'; url: string }

export type TransitionsDeps = {
  producer: Pick<EventProducer, 'send'>
  codec: Pick<EventCodec, 'job' | 'attempt'>
}

/** A status that has no attempt behind it. */
type Unattempted = { status: DeliveryStatus; at: number }

/**
 * Makes the transitions of jobs: each resolves after Kafka's ack, and only then may the job's old place be
 * given up. Each raises the step by one, so that projections and repetitions can tell.
 */
export class Transitions {
  readonly #deps: TransitionsDeps

  constructor(deps: TransitionsDeps) {
    this.#deps = deps
  }

  make(job: DeliveryJob, transition: Transition): Promise<void> {
    return this.#deps.producer.send(this.#recordsOf(job, transition))
  }

  #recordsOf(job: DeliveryJob, transition: Transition): OutgoingRecord[] {
    const at = Date.now()
    switch (transition.kind) {
      case 'attempted':
        return this.#afterAttempt(job, transition, at)
      case 'pause': {
        const paused = this.#paused(job, { run: 0, told: transition.told })
        if (!transition.told) return [paused]
        return [paused, this.#unattempted(job, { status: 'paused', at })]
      }
      case 'relocate':
        return [this.#paused(job, transition.mark)]
      case 'tell':
        return [this.#unattempted({ ...job, step: job.step - 1 }, { status: 'paused', at })]
      case 'cancel':
        return [this.#unattempted(job, { status: 'cancelled', at })]
      case 'reroute': {
        const { url } = transition
        const moved = { ...job, url, step: job.step + 1, dueAt: 0, arrival: -1 }
        return [this.#job(deliveriesTopic, moved)]
      }
    }
  }

  #afterAttempt(
    job: DeliveryJob,
    { result, next }: Extract<Transition, { kind: 'attempted' }>,
    at: number,
  ): OutgoingRecord[] {
    switch (next.kind) {
      case 'delivered':
        return [this.#attempted(job, result, { status: 'delivered', at }, null)]
      case 'retry': {
        const again = { ...job, attempt: job.attempt + 1, step: job.step + 1, dueAt: next.dueAt }
        return [
          this.#job(retryTopic(next.delay.name), again, result.sentAs),
          this.#attempted(job, result, { status: 'retrying', at }, next.dueAt),
        ]
      }
      case 'dead-letter':
        return [
          this.#job(deadLetterTopic, { ...job, step: job.step + 1 }, result.sentAs),
          this.#attempted(job, result, { status: 'dead_letter', at }, null),
        ]
    }
  }

  #paused(job: DeliveryJob, mark: PausedMark): OutgoingRecord {
    const next = { ...job, step: job.step + 1, dueAt: 0 }
    return this.#job(pausedTopic, next, pausedHeaders(mark))
  }

  #job(topic: string, job: DeliveryJob, headers?: OutgoingRecord['headers']): OutgoingRecord {
    const key = endpointId(job.projectId, job.environment, job.url)
    const record = { topic, key, value: this.#deps.codec.job.encode(job) }
    return headers === undefined ? record : { ...record, headers }
  }

  #unattempted(job: DeliveryJob, { status, at }: Unattempted): OutgoingRecord {
    return this.#attempt({
      ...identityOf(job),
      status,
      at,
      attempts: job.attempt - 1,
      attempted: false,
      httpStatus: null,
      latencyMs: null,
      errorClass: null,
      errorMessage: null,
      answer: null,
      nextAttemptAt: null,
    })
  }

  #attempted(
    job: DeliveryJob,
    result: AttemptResult,
    { status, at }: Unattempted,
    nextAttemptAt: number | null,
  ): OutgoingRecord {
    const responded = result.kind === 'responded'
    const failedClass = status === 'delivered' ? null : 'http'
    return this.#attempt({
      ...identityOf(job),
      status,
      at,
      attempts: job.attempt,
      attempted: true,
      httpStatus: responded ? result.status : null,
      latencyMs: result.latencyMs,
      errorClass: responded ? failedClass : result.errorClass,
      errorMessage: responded ? null : result.message,
      answer: responded ? result.answer : null,
      nextAttemptAt,
    })
  }

  #attempt(attempt: DeliveryAttempt): OutgoingRecord {
    const value = this.#deps.codec.attempt.encode(attempt)
    return { topic: attemptsTopic, key: attempt.deliveryId, value }
  }
}

function identityOf(job: DeliveryJob) {
  const { deliveryId, eventId, subscriptionId, projectId, environment, createdAt, url } = job
  const step = job.step + 1
  return { deliveryId, eventId, subscriptionId, projectId, environment, createdAt, url, step }
}
