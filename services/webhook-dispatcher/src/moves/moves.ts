import type { EventCodec } from '@surehook/contracts/codec'
import type { DeliveryAttempt, DeliveryJob, DeliveryStatus } from '@surehook/contracts/events'
import { endpointId } from '@surehook/contracts/ids'
import {
  attemptsTopic,
  deadLetterTopic,
  deliveriesTopic,
  pausedTopic,
  retryTopic,
} from '@surehook/contracts/topics'
import type { EventProducer, OutgoingRecord } from '@surehook/service-kit/kafka/producer'
import type { AttemptResult, NextStep } from '../attempt/decide-next-step.ts'

export type MovesDeps = {
  producer: Pick<EventProducer, 'send'>
  codec: Pick<EventCodec, 'job' | 'attempt'>
}

/** Moves that have no attempt behind them. */
type Unattempted = { status: DeliveryStatus; at: number }

/**
 * Where a job goes next. Each resolves after Kafka's ack: only then may the job's old place be
 * given up. Each move raises the step by one, so that projections and repetitions can tell.
 */
export class Moves {
  readonly #deps: MovesDeps

  constructor(deps: MovesDeps) {
    this.#deps = deps
  }

  /** After an attempt: delivered, to a retry topic, or to the dead letters. */
  async afterAttempt(job: DeliveryJob, result: AttemptResult, next: NextStep): Promise<void> {
    const at = Date.now()
    switch (next.kind) {
      case 'delivered':
        return this.#send(this.#attempted(job, result, { status: 'delivered', at }, null))
      case 'retry': {
        const again = { ...job, attempt: job.attempt + 1, step: job.step + 1, dueAt: next.dueAt }
        return this.#send(
          this.#job(retryTopic(next.delay.name), again, result.sentAs),
          this.#attempted(job, result, { status: 'retrying', at }, next.dueAt),
        )
      }
      case 'dead-letter':
        return this.#send(
          this.#job(deadLetterTopic, { ...job, step: job.step + 1 }, result.sentAs),
          this.#attempted(job, result, { status: 'dead_letter', at }, null),
        )
    }
  }

  /** To the paused topic; `announced` when its status becomes `paused`, not when it only waits for room. */
  park(job: DeliveryJob, announced: boolean): Promise<void> {
    const parked = this.#job(pausedTopic, { ...job, step: job.step + 1, dueAt: 0 })
    if (!announced) return this.#send(parked)
    return this.#send(parked, this.#unattempted(job, { status: 'paused', at: Date.now() }))
  }

  /** It was parked for room, and is `paused` by now: told under the step that it has there already. */
  announce(job: DeliveryJob): Promise<void> {
    const before = { ...job, step: job.step - 1 }
    return this.#send(this.#unattempted(before, { status: 'paused', at: Date.now() }))
  }

  /** Its subscription is gone. */
  cancel(job: DeliveryJob): Promise<void> {
    return this.#send(this.#unattempted(job, { status: 'cancelled', at: Date.now() }))
  }

  /** Its subscription has another URL now: it starts again in the order of that endpoint. */
  reroute(job: DeliveryJob, url: string): Promise<void> {
    const moved = { ...job, url, step: job.step + 1, dueAt: 0, arrival: -1 }
    return this.#send(this.#job(deliveriesTopic, moved))
  }

  #send(...records: OutgoingRecord[]): Promise<void> {
    return this.#deps.producer.send(records)
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
