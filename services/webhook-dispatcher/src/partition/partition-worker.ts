import type { DeliveryJob } from '@surehook/contracts/events'
import type { AssignedPartition } from '@surehook/kafka/windowed/assigned-partition'
import type { Delivery } from '../delivery/delivery.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import { DeliveryExecutor } from './delivery-executor.ts'
import { PartitionState } from './partition-state.ts'
import type { WorkerDeps } from './worker-deps.ts'

/**
 * The worker of one partition: its endpoints, its paused deliveries and its recent steps. All jobs,
 * retries and the circuit of an endpoint meet here, in one process. Every event of the partition
 * enters through this class. It is discarded when the partition is revoked.
 */
export class PartitionWorker {
  readonly #state: PartitionState
  readonly #executor: DeliveryExecutor

  constructor(assignments: ReadonlyMap<string, AssignedPartition>, deps: WorkerDeps) {
    this.#state = new PartitionState(assignments, deps, (endpoint) =>
      this.#executor.endpointChanged(endpoint),
    )
    this.#executor = new DeliveryExecutor(this.#state)
    this.#executor.carryOut()
  }

  /** The number of attempts and transitions in progress. */
  get busy(): number {
    return this.#state.work.count + this.#state.router.busy
  }

  /** The number of paused deliveries. */
  get paused(): number {
    return this.#state.paused.size
  }

  /** How many places and bodies of paused deliveries are in memory. */
  get pausedEntries(): number {
    return this.#state.paused.entries
  }

  get endpoints(): Iterable<Endpoint<Delivery>> {
    return this.#state.endpoints.all()
  }

  get openCircuits(): number {
    let open = 0
    for (const endpoint of this.#state.endpoints.all()) if (endpoint.circuit.isOpen) open++
    return open
  }

  /** Announces a batch of the paused topic that was fetched from `offset`. */
  pausedBatchBegins(offset: number): void {
    this.#state.paused.batchBegins(offset)
  }

  /** Takes a job of the paused topic. */
  readPaused(delivery: Delivery): void {
    const { deliveryId, step } = delivery.job
    const { paused, steps } = this.#state
    if (!steps.isDone(deliveryId, step)) return paused.read(delivery)
    paused.repeated(delivery)
    this.#executor.dropRepeated(delivery)
  }

  /** @param position the offset that is read next on the paused topic */
  pausedBatchEnded(position: number): void {
    this.#state.paused.batchEnded(position)
    this.#admitHeld()
    this.#executor.carryOut()
  }

  /** After a rejoin, the paused topic is read on from its assigned partition's position. */
  pausedSought(): void {
    this.#state.paused.sought()
    this.#executor.carryOut()
  }

  /** Announces that more of `webhook.deliveries` was handed out. */
  deliveriesRead(): void {
    this.#state.paused.earlierKnown()
    this.#executor.carryOut()
  }

  /** Counts jobs that were handed out but are not decoded yet. */
  countUndecoded(change: number): void {
    this.#state.undecoded += change
    if (this.#state.undecoded === 0) this.deliveriesRead()
  }

  /** Takes a job of any other topic, read for the first time. */
  accept(delivery: Delivery): void {
    const { deliveryId, step } = delivery.job
    const { steps, dueTimes } = this.#state
    if (!steps.begin(deliveryId, step)) return this.#executor.dropRepeated(delivery)
    dueTimes.await(delivery, () => this.#executor.admit(delivery))
  }

  /** Remembers a job that was finished before this process owned the partition. */
  remember({ deliveryId, step }: DeliveryJob): void {
    const { steps } = this.#state
    if (steps.begin(deliveryId, step)) steps.done(deliveryId, step)
  }

  subscriptionChanged(subscriptionId: string): void {
    this.#state.gone.delete(subscriptionId)
    this.#state.paused.subscriptionChanged(subscriptionId)
    this.#executor.carryOut()
  }

  /** While true, nothing starts. Attempts in flight end. */
  drain(isDraining: boolean): void {
    this.#state.isDraining = isDraining
    if (isDraining) return
    this.#admitHeld()
    this.#state.paused.resumed()
    this.#executor.carryOut()
    this.#executor.startAll()
  }

  /** Call it after offsets were committed: starts attempts that waited for this. */
  committed(): void {
    if (this.#state.unsettled.hasRoomAgain()) this.#executor.startAll()
  }

  /**
   * Moves jobs that wait too long for their endpoint out of the way, and starts those that may
   * start again.
   */
  relieve(): void {
    const { pressure, paused, endpoints } = this.#state
    pressure.sample()
    paused.tick()
    for (const endpoint of endpoints.all()) {
      if (endpoint.queued > 0) this.#executor.shed(endpoint)
    }
    this.#executor.carryOut()
    this.#executor.startAll()
  }

  dispose(): void {
    this.#state.endpoints.dispose()
    this.#state.dueTimes.dispose()
  }

  #admitHeld(): void {
    if (!this.#state.mayAdmit) return
    // A failed move may have put an earlier one behind later ones.
    const held = this.#state.held.splice(0).toSorted((a, b) => a.job.arrival - b.job.arrival)
    for (const delivery of held) this.#executor.admit(delivery)
  }
}
