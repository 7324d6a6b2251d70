import type { DeliveryJob } from '@surehook/contracts/events'
import { deliveriesTopic, pausedTopic } from '@surehook/contracts/topics'
import type { AssignedPartition } from '@surehook/kafka/windowed/assigned-partition'
import type { PartitionControl } from '@surehook/kafka/windowed/partition-handler'
import type { Delivery } from '../delivery/delivery.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import { Endpoints } from '../endpoint/endpoints.ts'
import { PausedDeliveries } from '../paused/paused-deliveries.ts'
import { DeliveryRouter } from '../transitions/delivery-router.ts'
import { Admissions } from './admission/admissions.ts'
import { orderGroup, RecordOrder } from './admission/record-order.ts'
import { ReleaseView } from './admission/release-view.ts'
import { SubscriptionStatus } from './admission/subscription-status.ts'
import { WaitingDeliveries } from './admission/waiting-deliveries.ts'
import { DeliveryExecutor } from './delivery-executor.ts'
import { PartitionState } from './partition-state.ts'
import { DueTimes } from './progress/due-times.ts'
import { Pressure } from './progress/pressure.ts'
import { RerouteBacklog } from './progress/reroute-backlog.ts'
import { RerouteProgress } from './progress/reroute-progress.ts'
import { UnsettledOutcomes } from './progress/unsettled-outcomes.ts'
import { Settlement } from './settlement.ts'
import type { WorkerDeps } from './worker-deps.ts'

type Assignments = ReadonlyMap<string, AssignedPartition>

/**
 * The worker of one partition: its endpoints, its paused deliveries and its recent steps. All jobs,
 * retries and the circuit of an endpoint meet here, in one process. Every event of the partition
 * enters through this class. It is discarded when the partition is revoked.
 */
export class PartitionWorker {
  readonly #dueTimes = new DueTimes()
  readonly #waiting = new WaitingDeliveries()
  readonly #pressure: Pressure
  readonly #unsettled: UnsettledOutcomes
  readonly #state: PartitionState
  readonly #subscriptions: WorkerDeps['subscriptions']
  readonly #endpoints: Endpoints<Delivery>
  readonly #paused: PausedDeliveries
  readonly #admissions: Admissions
  readonly #settlement: Settlement
  readonly #executor: DeliveryExecutor
  readonly #rerouteProgress: RerouteProgress

  constructor(assignments: Assignments, control: PartitionControl, deps: WorkerDeps) {
    const { subscriptions, window } = deps
    const [deliveries, pausedTopicPartition] = [
      assignmentOf(assignments, deliveriesTopic),
      assignmentOf(assignments, pausedTopic),
    ]
    const { partition, lease } = pausedTopicPartition
    const waiting = this.#waiting
    const order = new RecordOrder()
    const unsettled = new UnsettledOutcomes(assignments)
    const state = new PartitionState({ lease, unsettled, control, partition })
    const partitionFor = (endpointId: string) => state.partitionFor(endpointId)
    const router = new DeliveryRouter({ ...deps, lease, places: { partition, partitionFor } })
    this.#subscriptions = subscriptions
    this.#unsettled = unsettled
    this.#state = state
    this.#pressure = new Pressure({ assignments, dueTimes: this.#dueTimes, window })
    const endpoints = this.#openEndpoints(deps)
    this.#endpoints = endpoints
    const status = new SubscriptionStatus(subscriptions, endpoints)
    const decided = { subscriptions, endpoints, status, state, order, waiting }
    const view = new ReleaseView({ ...decided, deliveries, router })
    const paused = new PausedDeliveries(pausedTopicPartition, view, deps.orderedRecords)
    this.#paused = paused
    this.#admissions = new Admissions({ ...decided, paused })
    this.#settlement = new Settlement({ deps, status, order, paused, router, unsettled })
    this.#executor = new DeliveryExecutor({
      ...{ deps, control, partition, state, endpoints, status, paused, router },
      admissions: this.#admissions,
      settlement: this.#settlement,
    })
    const isRerouted = (endpointId: string) => state.isRerouted(endpointId)
    const of = { subscriptions, endpoints, waiting, router, paused: paused.arrivals, isRerouted }
    this.#rerouteProgress = new RerouteProgress({
      ...{ deliveries, control },
      toReroute: new RerouteBacklog(of),
    })
    this.#executor.carryOut()
  }

  /** The number of attempts and transitions in progress. */
  get busy(): number {
    return this.#executor.busy
  }

  /** The number of paused deliveries. */
  get paused(): number {
    return this.#paused.size
  }

  /** How many positions and bodies of paused deliveries are in memory. */
  get pausedEntries(): number {
    return this.#paused.entries
  }

  get endpoints(): Iterable<Endpoint<Delivery>> {
    return this.#endpoints.all()
  }

  get openCircuits(): number {
    let open = 0
    for (const endpoint of this.#endpoints.all()) if (endpoint.circuits.isAnyOpen) open++
    return open
  }

  /** Announces a batch of the paused topic that was fetched from `offset`. */
  pausedBatchBegins(offset: number): void {
    this.#paused.batchBegins(offset)
  }

  /** Takes a job of the paused topic. */
  readPaused(delivery: Delivery): void {
    if (!this.#settlement.isDone(delivery.job)) return this.#paused.read(delivery)
    this.#paused.repeated(delivery)
    this.#settlement.dropRepeated(delivery)
  }

  /** @param position the offset that is read next on the paused topic */
  pausedBatchEnded(position: number): void {
    this.#paused.batchEnded(position)
    this.#executor.admitHeld()
    this.#executor.carryOut()
  }

  /** After a rejoin, the paused topic is read on from its assigned partition's position. */
  pausedSought(): void {
    this.#paused.sought()
    this.#executor.carryOut()
  }

  /** Announces that more of `webhook.deliveries` was handed out. */
  deliveriesRead(): void {
    this.#paused.earlierKnown()
    this.#executor.carryOut()
  }

  /** Counts jobs that were handed out but are not decoded yet. */
  countUndecoded(change: number): void {
    if (this.#waiting.countUndecoded(change)) this.deliveriesRead()
  }

  /** Takes a job of any other topic, read for the first time. */
  accept(delivery: Delivery): void {
    if (!this.#settlement.begin(delivery.job)) return this.#settlement.dropRepeated(delivery)
    const admit = () => this.#executor.admit(delivery)
    if (this.#waitsForRetryInOrder(delivery)) admit()
    else this.#dueTimes.await(delivery, admit)
  }

  /** Remembers a job that was finished before this process owned the partition. */
  remember(job: DeliveryJob): void {
    this.#settlement.remember(job)
  }

  /** @param left the endpoint to which the subscription does not deliver any more */
  subscriptionChanged(subscriptionId: string, left: string | null = null): void {
    const isUsed = () => left !== null && this.#subscriptions.isAnyAt(left)
    if (left !== null) this.#endpoints.left(left, subscriptionId, isUsed)
    this.#admissions.subscriptionChanged(subscriptionId)
    this.#paused.subscriptionChanged(subscriptionId)
    this.#executor.carryOut()
  }

  /** Call it when the topics got more partitions: deliveries of endpoints in other partitions are rerouted. */
  partitionsAdded(): void {
    for (const endpoint of this.#endpoints.all()) {
      if (!this.#state.isRerouted(endpoint.id)) continue
      for (const delivery of endpoint.takeQueued()) this.#executor.admit(delivery)
    }
    this.#paused.resumed({ reroutes: true })
    this.#executor.carryOut()
  }

  /** While true, nothing starts. Attempts in flight end. */
  drain(isDraining: boolean): void {
    this.#state.drain(isDraining)
    if (isDraining) return
    this.#executor.admitHeld()
    this.#paused.resumed()
    this.#executor.carryOut()
    this.#executor.startAll()
  }

  /** Call it after offsets were committed: starts attempts that waited for this. */
  committed(): void {
    if (this.#unsettled.hasRoomAgain()) this.#executor.startAll()
  }

  /**
   * Moves jobs that wait too long for their endpoint out of the way, and starts those that may
   * start again.
   */
  relieve(): void {
    this.#pressure.sample()
    this.#paused.tick()
    this.#rerouteProgress.sample()
    for (const endpoint of this.#endpoints.all()) {
      if (endpoint.queued > 0) this.#executor.shed(endpoint)
    }
    this.#executor.carryOut()
    this.#executor.startAll()
  }

  dispose(): void {
    this.#endpoints.dispose()
    this.#dueTimes.dispose()
    this.#subscriptions[Symbol.dispose]()
  }

  /**
   * True for a retry that came from another partition: it waits on the paused topic, before later
   * deliveries of its record.
   */
  #waitsForRetryInOrder(delivery: Delivery): boolean {
    const { job, message } = delivery
    if (message.topic !== deliveriesTopic || job.dueAt === 0) return false
    const entry = this.#subscriptions.entryOf(job.subscriptionId)
    return entry !== undefined && orderGroup(job, entry) !== null
  }

  #openEndpoints(deps: WorkerDeps): Endpoints<Delivery> {
    return new Endpoints({
      ...deps,
      pressure: () => this.#pressure.isOn,
      limitsOf: (subscriptionId) => deps.subscriptions.get(subscriptionId)?.limits,
      since: performance.now(),
      wasUsedAt: (endpointId, at) => deps.subscriptions.isAnyAt(endpointId, at),
      isOwned: (endpointId) => !this.#state.isRerouted(endpointId),
    })
  }
}

function assignmentOf(assignments: Assignments, topic: string): AssignedPartition {
  const assignment = assignments.get(topic)
  if (assignment === undefined) throw new Error(`no assigned partition of ${topic}`)
  return assignment
}
