import type { DeliveryJob } from '@surehook/contracts'
import type { Logger } from 'pino'
import type { Circuit } from '../endpoint/circuit.ts'
import type { DispatcherMetrics } from '../metrics.ts'
import type { Subscription } from '../subscriptions/subscriptions.ts'
import type { AttemptResult, NextStep, RetryDelay } from './decide-next-step.ts'
import { decideNextStep, succeeded } from './decide-next-step.ts'
import type { Poster } from './post.ts'
import { signedHeaders } from './sign.ts'

export type AttemptsDeps = {
  poster: Pick<Poster, 'post'>
  delays: readonly RetryDelay[]
  metrics: DispatcherMetrics
  log: Logger
}

/** Makes attempts and decides what follows from them. */
export class Attempts {
  readonly #deps: AttemptsDeps

  constructor(deps: AttemptsDeps) {
    this.#deps = deps
  }

  /** One signed POST through the endpoint's circuit; throws only when the circuit is open. */
  async make(
    job: DeliveryJob,
    subscription: Subscription,
    circuit: Circuit,
  ): Promise<AttemptResult> {
    const now = Date.now()
    const secrets = subscription.secretsAt(now)
    const headers = signedHeaders(job, secrets, Math.floor(now / 1000))
    if (job.traceparent !== null) headers['traceparent'] = job.traceparent
    const { url, body } = job
    const tenant = `${job.projectId}\0${job.environment}`
    const exchange = { tenant, url, headers, body }
    const result = await circuit.fire(() => this.#deps.poster.post(exchange))
    this.#report(job, result)
    return result
  }

  nextStep(job: DeliveryJob, result: AttemptResult): NextStep {
    const { delays } = this.#deps
    return decideNextStep(result, job.attempt, { delays, at: Date.now(), jitter: Math.random() })
  }

  #report(job: DeliveryJob, result: AttemptResult): void {
    const { metrics, log } = this.#deps
    const failure = result.kind === 'unreachable' ? result.errorClass : 'http'
    const outcome = succeeded(result) ? 'delivered' : failure
    metrics.attempts.inc({ outcome })
    metrics.attemptSeconds.observe(result.latencyMs / 1000)
    // Kept at debug for successes: at thousands a second the attempts topic is the record of them.
    const level = succeeded(result) ? 'debug' : 'info'
    const { deliveryId, eventId, subscriptionId, projectId, environment, attempt } = job
    log[level](
      {
        deliveryId,
        eventId,
        subscriptionId,
        projectId,
        environment,
        attempt,
        outcome,
        latencyMs: result.latencyMs,
        ...(result.kind === 'responded' && { httpStatus: result.status }),
      },
      'delivery.attempted',
    )
  }
}
