import type { TopicView } from '@surehook/kafka/views/topic-view'
import type { Attempts } from '../attempt/attempts.ts'
import type { AttemptSlots } from '../endpoint/attempt-slots.ts'
import type { CircuitOptions } from '../endpoint/circuit.ts'
import type { EndpointLimits } from '../endpoint/endpoint.ts'
import type { DispatcherMetrics } from '../metrics.ts'
import type { Subscriptions } from '../subscriptions/subscriptions.ts'
import type { Transitions } from '../transitions/transitions.ts'

/** The resources that the workers of all partitions share. */
export type WorkerDeps = {
  circuit: CircuitOptions
  limits: EndpointLimits
  /** The attempts of the whole process, owned by projects. */
  slots: AttemptSlots
  /** The limits at which an assigned partition stops reading. */
  window: { messages: number; bytes: number }
  /** How many records that keep their order have a queue of their own, per partition. */
  orderedRecords?: number
  attempts: Attempts
  transitions: Pick<Transitions, 'make'>
  subscriptions: Subscriptions
  /** The view that `subscriptions` is read from. */
  view: Pick<TopicView, 'barrier'>
  metrics: DispatcherMetrics
  /** Called for an unexpected failure. The job stays open. */
  onFault: (err: unknown) => void
}
