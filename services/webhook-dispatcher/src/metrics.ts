import { errorClasses } from '@surehook/contracts/events'
import { fromZero, type Metrics } from '@surehook/service-kit/telemetry/metrics'

export type DispatcherMetrics = ReturnType<typeof dispatcherMetrics>

/** Labels have closed sets of values: never an endpoint, a subscription or a project. */
export function dispatcherMetrics(metrics: Metrics) {
  return {
    attempts: fromZero(
      metrics.counter({
        name: 'surehook_delivery_attempts_total',
        help: 'Attempts. outcome: delivered, or the class of the failure',
        labelNames: ['outcome'],
      }),
      'outcome',
      ['delivered', ...errorClasses],
    ),
    attemptSeconds: metrics.histogram({
      name: 'surehook_delivery_attempt_duration_seconds',
      help: 'Duration of one attempt, from connecting to the answer',
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    }),
    firstAttemptDelay: metrics.histogram({
      name: 'surehook_delivery_first_attempt_delay_seconds',
      help: 'Time from a change to its first attempt, for deliveries that never waited for their receiver',
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    }),
    deadLetters: metrics.counter({
      name: 'surehook_delivery_dead_letters_total',
      help: 'Deliveries whose last attempt failed',
    }),
    repeated: metrics.counter({
      name: 'surehook_delivery_jobs_repeated_total',
      help: 'Jobs dropped because the same transition was done before',
    }),
    invalid: metrics.counter({
      name: 'surehook_delivery_jobs_invalid_total',
      help: 'Messages that could not be decoded and went to the invalid topic',
    }),
  }
}

/** Values that are read when metrics are scraped. */
export type DispatcherGauges = {
  inFlight: () => number
  paused: () => number
  windowOpen: () => number
  openCircuits: () => number
  loadedSubscriptions: () => number
}

export function registerGauges(metrics: Metrics, gauges: DispatcherGauges): void {
  const gauge = (config: { name: string; help: string }, read: () => number) =>
    metrics.gauge({
      ...config,
      collect() {
        this.set(read())
      },
    })
  gauge(
    { name: 'surehook_delivery_in_flight', help: 'Attempts and transitions in flight' },
    gauges.inFlight,
  )
  gauge(
    { name: 'surehook_delivery_paused', help: 'Jobs that wait on the paused topic' },
    gauges.paused,
  )
  gauge(
    {
      name: 'surehook_delivery_parked',
      help: 'The former name of surehook_delivery_paused, which the next version drops',
    },
    gauges.paused,
  )
  gauge(
    { name: 'surehook_delivery_window_open', help: 'Jobs read and not finished' },
    gauges.windowOpen,
  )
  gauge(
    { name: 'surehook_delivery_circuits_open', help: 'Endpoints with an open circuit' },
    gauges.openCircuits,
  )
  gauge(
    {
      name: 'surehook_delivery_subscriptions_loaded',
      help: 'Webhooks that had a delivery on an assigned partition, so that their state is in memory',
    },
    gauges.loadedSubscriptions,
  )
}
