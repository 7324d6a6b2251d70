import { partitionOf } from '@surehook/kafka/producer/partitioned/partition-of'
import type { PartitionControl } from '@surehook/kafka/windowed/partition-handler'
import type { UnsettledOutcomes } from './progress/unsettled-outcomes.ts'

export type PartitionStateOptions = {
  /** Aborted when the partition is revoked. */
  lease: AbortSignal
  unsettled: UnsettledOutcomes
  control: Pick<PartitionControl, 'mayStart' | 'partitions'>
  partition: number
}

/** Tells whether work on the deliveries of one partition may start. */
export class PartitionState {
  readonly lease: AbortSignal
  readonly #options: PartitionStateOptions
  #isDraining = false

  constructor(options: PartitionStateOptions) {
    this.lease = options.lease
    this.#options = options
  }

  get isRevoked(): boolean {
    return this.lease.aborted
  }

  /** True while the partition may move to another process: nothing starts then. */
  get isDraining(): boolean {
    return this.#isDraining
  }

  drain(isDraining: boolean): void {
    this.#isDraining = isDraining
  }

  /** Partition of the deliveries of an endpoint. It changes when the topics get more partitions. */
  partitionFor(endpointId: string): number {
    const { control, partition } = this.#options
    return control.partitions === 0 ? partition : partitionOf(endpointId, control.partitions)
  }

  /** True if the deliveries of the endpoint belong to another partition. */
  isRerouted(endpointId: string): boolean {
    return this.partitionFor(endpointId) !== this.#options.partition
  }

  /** True if an attempt may start. */
  get mayStart(): boolean {
    if (this.#isDraining || this.isRevoked || !this.#options.control.mayStart) return false
    return this.#options.unsettled.hasRoom
  }
}
