import type { WindowedConsumer } from '@surehook/kafka/windowed/windowed-consumer'
import type { Attempts } from '../attempt/attempts.ts'
import type { CircuitOptions } from '../endpoint/circuit.ts'
import type { EndpointLimits } from '../endpoint/endpoint.ts'
import type { DispatcherMetrics } from '../metrics.ts'
import type { Subscriptions } from '../subscriptions/subscriptions.ts'
import type { Transitions } from '../transitions/transitions.ts'

/** What the workers of all partitions share. */
export type WorkerDeps = {
  circuit: CircuitOptions
  limits: EndpointLimits
  /** What an assigned partition may hold before it stops reading. */
  window: { messages: number; bytes: number }
  attempts: Attempts
  transitions: Pick<Transitions, 'make'>
  subscriptions: Subscriptions
  /** Resolves when the subscriptions are as of now. */
  subscriptionsCurrent: (signal: AbortSignal) => Promise<void>
  reader: Pick<WindowedConsumer, 'seek'>
  /** False while another process may have the partitions: no attempt starts then. */
  mayStart: () => boolean
  metrics: DispatcherMetrics
  /** Something failed that should not: the job concerned stays open. */
  onFault: (err: unknown) => void
}
