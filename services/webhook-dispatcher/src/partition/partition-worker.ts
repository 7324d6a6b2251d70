import type { DeliveryJob } from '@surehook/contracts/events'
import type { AssignedPartition } from '@surehook/kafka/windowed/assigned-partition'
import type { Endpoint } from '../endpoint/endpoint.ts'
import type { Delivery } from './delivery.ts'
import { DeliveryExecutor } from './delivery-executor.ts'
import { PartitionState } from './partition-state.ts'
import type { WorkerDeps } from './worker-deps.ts'

/**
 * Everything of one partition: its endpoints, its paused deliveries, and what it has dealt with. All jobs, retries
 * and the circuit of an endpoint meet here, in one process. Whatever happens to the partition comes in
 * here. Discarded when the partition is taken away.
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

  /** Attempts and transitions that have begun and not ended. */
  get busy(): number {
    return this.#state.work.count + this.#state.router.busy
  }

  /** Number of deliveries that are paused. */
  get paused(): number {
    return this.#state.paused.size
  }

  /** Number of places and bodies of paused deliveries that are in memory. */
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

  /** A batch of the paused topic comes, which was asked for from `offset`. */
  pausedBatchBegins(offset: number): void {
    this.#state.paused.batchBegins(offset)
  }

  /** A job of the paused topic. */
  readPaused(delivery: Delivery): void {
    const { deliveryId, step } = delivery.job
    const { paused, steps } = this.#state
    if (!steps.isDone(deliveryId, step)) return paused.read(delivery)
    paused.repeated(delivery)
    this.#executor.dropRepeated(delivery)
  }

  /** @param position what is read next of the paused topic */
  pausedBatchEnded(position: number): void {
    this.#state.paused.batchEnded(position)
    this.#admitHeld()
    this.#executor.carryOut()
  }

  /** The group was joined again: the paused topic is read on where its assigned partition stands. */
  pausedSought(): void {
    this.#state.paused.sought()
    this.#executor.carryOut()
  }

  /** More of `webhook.deliveries` was handed out. */
  deliveriesRead(): void {
    this.#state.paused.earlierKnown()
    this.#executor.carryOut()
  }

  /** Jobs were handed out that cannot be decoded yet, or can be now. */
  countUndecoded(change: number): void {
    this.#state.undecoded += change
    if (this.#state.undecoded === 0) this.deliveriesRead()
  }

  /** A job of any other topic, read for the first time. */
  accept(delivery: Delivery): void {
    const { deliveryId, step } = delivery.job
    const { steps, dueTimes } = this.#state
    if (!steps.begin(deliveryId, step)) return this.#executor.dropRepeated(delivery)
    dueTimes.await(delivery, () => this.#executor.admit(delivery))
  }

  /** A job that was finished before this process owned the partition. */
  remember({ deliveryId, step }: DeliveryJob): void {
    const { steps } = this.#state
    if (steps.begin(deliveryId, step)) steps.done(deliveryId, step)
  }

  subscriptionChanged(subscriptionId: string): void {
    this.#state.gone.delete(subscriptionId)
    this.#state.paused.subscriptionChanged(subscriptionId)
    this.#executor.carryOut()
  }

  /** While true nothing starts; what is in flight ends. */
  drain(isHandingOver: boolean): void {
    this.#state.isHandingOver = isHandingOver
    if (isHandingOver) return
    this.#admitHeld()
    this.#state.paused.resumed()
    this.#executor.carryOut()
    this.#executor.startAll()
  }

  /** Offsets were committed: what waited for that may start. */
  committed(): void {
    if (this.#state.unsettled.hasRoomAgain()) this.#executor.startAll()
  }

  /** Moves what waits too long for its endpoint out of the way of others, and starts what may start again. */
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
  }

  #admitHeld(): void {
    if (!this.#state.mayAdmit) return
    for (const delivery of this.#state.held.splice(0)) this.#executor.admit(delivery)
  }
}
