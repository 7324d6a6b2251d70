import type { DeliveryJob } from '@surehook/contracts/events'
import { signedHeaders } from '@surehook/matching/signed-headers'
import { traceHeaders, traceIdOf } from '@surehook/service-kit/telemetry/tracing/trace-headers'
import type { Tracer } from '@surehook/service-kit/telemetry/tracing/tracer'
import type { Logger } from 'pino'
import type { Delivery } from '../delivery/delivery.ts'
import type { Circuit } from '../endpoint/circuit.ts'
import type { DispatcherMetrics } from '../metrics.ts'
import type { Subscription } from '../subscriptions/subscription.ts'
import type { AttemptDecision, AttemptResult } from '../transitions/decide-next-attempt.ts'
import { decideNextAttempt, succeeded } from '../transitions/decide-next-attempt.ts'
import {
  delaysOf,
  type Hop,
  nextHop,
  type RetryDelay,
  type RetryLadder,
} from '../transitions/retry-ladder.ts'
import { beginAttemptSpan, endAttemptSpan } from './attempt-span.ts'
import { hideValues } from './hide-values.ts'
import type { Poster } from './http/post.ts'

export type AttemptsDeps = {
  poster: Pick<Poster, 'post'>
  /** The delays of a subscription that sets none. */
  delays: readonly RetryDelay[]
  ladder: RetryLadder
  metrics: DispatcherMetrics
  tracer?: Tracer | undefined
  log: Logger
}

type TracedAttempt = { tracer: Tracer; subscription: Subscription; circuit: Circuit }

/** Makes attempts, and decides the next step from their results. */
export class Attempts {
  readonly #deps: AttemptsDeps

  constructor(deps: AttemptsDeps) {
    this.#deps = deps
  }

  /** Sends one signed POST through the endpoint's circuit. Throws only if the circuit is open. */
  make(delivery: Delivery, subscription: Subscription, circuit: Circuit): Promise<AttemptResult> {
    const { tracer } = this.#deps
    if (tracer === undefined) return this.#make(delivery.job, subscription, circuit)
    return this.#makeTraced(delivery, { tracer, subscription, circuit })
  }

  async #makeTraced(
    delivery: Delivery,
    { tracer, subscription, circuit }: TracedAttempt,
  ): Promise<AttemptResult> {
    const span = beginAttemptSpan(tracer, delivery)
    try {
      const job = { ...delivery.job, traceparent: span.traceparent }
      const result = await this.#make(job, subscription, circuit)
      endAttemptSpan(span, result)
      return { ...result, sentAs: traceHeaders(span) }
    } catch (err) {
      span.end({ error: 'circuit_open' })
      throw err
    }
  }

  /** @param policy as of now */
  nextStep(
    job: DeliveryJob,
    result: AttemptResult,
    { retryAfter, retryDelays }: Pick<Subscription, 'retryAfter' | 'retryDelays'>,
  ): AttemptDecision {
    const { ladder, metrics } = this.#deps
    const delays = retryDelays === null ? this.#deps.delays : delaysOf(ladder, retryDelays)
    const chance = { at: Date.now(), jitter: Math.random() }
    const next = decideNextAttempt(result, job.attempt, { delays, ladder, retryAfter, ...chance })
    if (next.kind === 'dead-letter') metrics.deadLetters.inc()
    return next
  }

  /** Returns the next topic on which a job waits for the time that its receiver asked for. */
  nextHop({ notBefore }: DeliveryJob): Hop {
    return nextHop(this.#deps.ladder, Date.now(), notBefore)
  }

  async #make(
    job: DeliveryJob,
    subscription: Subscription,
    circuit: Circuit,
  ): Promise<AttemptResult> {
    const now = Date.now()
    if (isFirstInTurn(job)) {
      const delayMs = Math.max(0, now - job.createdAt)
      this.#deps.metrics.firstAttemptDelay.observe(delayMs / 1000)
    }
    const secrets = subscription.secretsAt(now)
    const own = subscription.headers ?? {}
    // The API refuses own headers with the name of a signed one.
    const headers: Record<string, string> = {
      ...own,
      ...signedHeaders(job, secrets, Math.floor(now / 1000)),
    }
    if (job.traceparent !== null) headers['traceparent'] = job.traceparent
    const { url, body } = job
    const tenant = `${job.projectId}\0${job.environment}`
    const exchange = { tenant, url, headers, body }
    const result = hideValues(await circuit.fire(() => this.#deps.poster.post(exchange)), own)
    this.#report(job, result)
    return result
  }

  #report(job: DeliveryJob, result: AttemptResult): void {
    const { metrics, log } = this.#deps
    const failure = result.kind === 'unreachable' ? result.errorClass : 'http'
    const outcome = succeeded(result) ? 'delivered' : failure
    metrics.attempts.inc({ outcome })
    metrics.attemptSeconds.observe(result.latencyMs / 1000)
    // Successes are logged at debug only: at thousands per second, the attempts topic is their
    // record.
    const level = succeeded(result) ? 'debug' : 'info'
    if (!log.isLevelEnabled(level)) return
    const { deliveryId, eventId, subscriptionId, projectId, environment, attempt } = job
    log[level](
      {
        ...{ deliveryId, eventId, subscriptionId, projectId, environment, attempt, outcome },
        traceId: traceIdOf(job.traceparent),
        latencyMs: result.latencyMs,
        ...(result.kind === 'responded' && { httpStatus: result.status }),
      },
      'delivery.attempted',
    )
  }
}

/**
 * True for deliveries that did not wait for their receiver. A step above 0 before the first attempt
 * means that the delivery waited for a circuit, a slot or its subscription. Redeliveries are late on
 * purpose.
 */
const isFirstInTurn = ({ step, redeliveryOf }: DeliveryJob) => step === 0 && redeliveryOf === null
