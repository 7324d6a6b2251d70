import type { Attempts } from '../attempt/attempts.ts'
import type { AttemptSlots } from '../endpoint/attempt-slots.ts'
import type { CircuitOptions } from '../endpoint/circuit.ts'
import type { EndpointLimits } from '../endpoint/endpoint.ts'
import type { DispatcherMetrics } from '../metrics.ts'
import type { PartitionSubscriptions } from '../subscriptions/partition-subscriptions.ts'
import type { Transitions } from '../transitions/transitions.ts'

/** The resources that the workers of all partitions share, and the partition's subscriptions. */
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
  subscriptions: Pick<PartitionSubscriptions, 'get' | 'current' | 'entryOf' | 'isAnyAt'> &
    Disposable
  metrics: DispatcherMetrics
  /** Called for an unexpected failure. The job stays open. */
  onFault: (err: unknown) => void
}
