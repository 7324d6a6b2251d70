import { deliveriesTopic, pausedTopic } from '@surehook/contracts/topics'
import type { AssignedPartition } from '@surehook/kafka/windowed/assigned-partition'
import type { Delivery } from '../delivery/delivery.ts'
import { queueIdOf } from '../delivery/record-groups.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import { Endpoints } from '../endpoint/endpoints.ts'
import { PausedDeliveries } from '../paused/paused-deliveries.ts'
import type { Subscription } from '../subscriptions/subscriptions.ts'
import { DeliveryRouter } from '../transitions/delivery-router.ts'
import { isCancelled } from './admission/admission.ts'
import { RecordOrder } from './admission/record-order.ts'
import { releaseView } from './admission/release-view.ts'
import { Turns } from './admission/turns.ts'
import { Undecided } from './admission/undecided.ts'
import { DueTimes } from './progress/due-times.ts'
import { Pressure } from './progress/pressure.ts'
import { RecentTransitions } from './progress/recent-transitions.ts'
import { Unsettled } from './progress/unsettled.ts'
import { WorkInFlight } from './progress/work-in-flight.ts'
import type { WorkerDeps } from './worker-deps.ts'

/** How many steps are remembered to recognise repetitions. */
const rememberedSteps = 20_000

/** The state of one partition. */
export class PartitionState {
  readonly deps: WorkerDeps
  readonly partition: number
  readonly lease: AbortSignal
  readonly endpoints: Endpoints<Delivery>
  readonly paused: PausedDeliveries
  readonly steps = new RecentTransitions(rememberedSteps)
  /** Jobs that wait until the paused subscriptions are known, or until a rebalance drain ends. */
  readonly held: Delivery[] = []
  readonly undecided = new Undecided()
  /** Subscriptions that are certainly deleted. */
  readonly gone = new Set<string>()
  readonly dueTimes = new DueTimes()
  readonly order = new RecordOrder()
  readonly unsettled: Unsettled
  readonly pressure: Pressure
  readonly work: WorkInFlight
  readonly router: DeliveryRouter
  readonly turns: Turns
  isDraining = false
  /** How many handed-out jobs cannot be decoded yet. */
  undecoded = 0

  /** @param onChange a circuit opened or closed, or became known, or a rate lets one start again */
  constructor(
    assignments: ReadonlyMap<string, AssignedPartition>,
    deps: WorkerDeps,
    onChange: (endpoint: Endpoint<Delivery>) => void,
  ) {
    const pausedAssignment = assignments.get(pausedTopic)
    const deliveries = assignments.get(deliveriesTopic)
    if (!pausedAssignment || !deliveries)
      throw new Error('a partition without its assigned partitions')
    this.deps = deps
    this.partition = pausedAssignment.partition
    this.lease = pausedAssignment.lease
    this.unsettled = new Unsettled(assignments)
    this.work = new WorkInFlight(deps.onFault)
    this.router = new DeliveryRouter({ ...deps, lease: this.lease })
    this.pressure = new Pressure({ assignments, dueTimes: this.dueTimes, window: deps.window })
    this.endpoints = new Endpoints(
      {
        ...deps,
        pressure: () => this.pressure.isOn,
        policyOf: (endpointId) => deps.subscriptions.policyOf(endpointId),
        since: performance.now(),
      },
      onChange,
    )
    this.turns = new Turns(() => this.mayStart)
    this.paused = new PausedDeliveries(
      pausedAssignment,
      releaseView({
        subscriptions: deps.subscriptions,
        endpoints: this.endpoints,
        ladder: deps.ladder,
        deliveries,
        isDraining: () => this.isDraining,
        isBlocked: (subscription) => this.isBlocked(subscription),
        isCancelled: (subscription, delivery) => this.isCancelled(subscription, delivery),
        isBusy: (queueId) => this.order.isBusy(queueId),
        hasUndecided: (id) => this.undecoded > 0 || this.undecided.has(id),
        transitions: () => this.router.busy,
      }),
    )
  }

  /**
   * Whether deliveries of the subscription are paused: it is inactive, or its endpoint's circuit is
   * open.
   */
  isBlocked({ deliverable, endpointId }: Subscription): boolean {
    return !deliverable || this.endpoints.of(endpointId).circuit.isOpen
  }

  /** Whether earlier deliveries come first. A released one comes before those that are paused. */
  hasEarlier(delivery: Delivery, group: number | null): boolean {
    const { job, message } = delivery
    if (message.topic === pausedTopic) return false
    const queueId = queueIdOf(job.subscriptionId, group)
    return this.order.isBusy(queueId, delivery) || this.paused.mayHave(job.subscriptionId, group)
  }

  /** Whether a delivery that is not in flight was cancelled by request. */
  isCancelled(subscription: Subscription, delivery: Delivery): boolean {
    return isCancelled(subscription, delivery, () => this.#blockedSince(subscription))
  }

  /**
   * Whether a delivery was cancelled before it moves. Its new record does not show what it was at
   * the time of the request.
   */
  isCancelledNow(delivery: Delivery): boolean {
    const subscription = this.deps.subscriptions.get(delivery.job.subscriptionId)
    if (subscription === undefined || subscription.url === null) return false
    return this.isCancelled(subscription, delivery)
  }

  /** Whether a delivery was cancelled while its attempt was in flight: then it was not blocked. */
  isCancelledInFlight(subscription: Subscription, delivery: Delivery): boolean {
    return isCancelled(subscription, delivery, () => Number.POSITIVE_INFINITY)
  }

  #blockedSince(subscription: Subscription): number | undefined {
    const { openSince } = this.endpoints.of(subscription.endpointId).circuit
    const since = Math.min(openSince, subscription.inactiveSince)
    return Number.isFinite(since) || !this.isBlocked(subscription) ? since : undefined
  }

  /** Whether it can be decided what becomes of a job. */
  get mayAdmit(): boolean {
    return !this.isDraining && this.paused.isReady
  }

  /** True if an attempt may start. */
  get mayStart(): boolean {
    if (this.isDraining || this.lease.aborted || !this.deps.mayStart()) return false
    return this.unsettled.hasRoom
  }
}
