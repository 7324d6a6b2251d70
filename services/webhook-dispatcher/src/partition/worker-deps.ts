import type { WindowedConsumer } from '@surehook/kafka/windowed/windowed-consumer'
import type { Attempts } from '../attempt/attempts.ts'
import type { CircuitOptions } from '../endpoint/circuit.ts'
import type { EndpointLimits } from '../endpoint/endpoint.ts'
import type { DispatcherMetrics } from '../metrics.ts'
import type { Subscriptions } from '../subscriptions/subscriptions.ts'
import type { Transitions } from '../transitions/transitions.ts'

/** The resources that the workers of all partitions share. */
export type WorkerDeps = {
  circuit: CircuitOptions
  limits: EndpointLimits
  /** The limits at which an assigned partition stops reading. */
  window: { messages: number; bytes: number }
  attempts: Attempts
  transitions: Pick<Transitions, 'make'>
  subscriptions: Subscriptions
  /** Resolves when the view of subscriptions is current. */
  subscriptionsCurrent: (signal: AbortSignal) => Promise<void>
  reader: Pick<WindowedConsumer, 'seek'>
  /** False while another process may have the partitions: no attempt starts then. */
  mayStart: () => boolean
  metrics: DispatcherMetrics
  /** Called for an unexpected failure. The job stays open. */
  onFault: (err: unknown) => void
}
