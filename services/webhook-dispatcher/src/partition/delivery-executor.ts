import type { DeliveryJob } from '@surehook/contracts/events'
import { pausedTopic } from '@surehook/contracts/topics'
import type { PartitionControl } from '@surehook/kafka/windowed/partition-handler'
import { type Delivery, eventPlaceOf } from '../delivery/delivery.ts'
import { pausedMark } from '../delivery/paused-headers.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import type { Endpoints } from '../endpoint/endpoints.ts'
import type { PausedAction } from '../paused/paused-actions.ts'
import type { PausedDeliveries } from '../paused/paused-deliveries.ts'
import type { Subscription } from '../subscriptions/subscription.ts'
import { endOf, succeeded } from '../transitions/decide-next-attempt.ts'
import type { DeliveryRouter } from '../transitions/delivery-router.ts'
import { nextStepOf, type Transition } from '../transitions/transitions.ts'
import type { AdmissionDecision, Admissions } from './admission/admissions.ts'
import { waitsInGroup } from './admission/record-order.ts'
import type { SubscriptionStatus } from './admission/subscription-status.ts'
import { type StartedJob, Turns } from './admission/turns.ts'
import type { PartitionState } from './partition-state.ts'
import { WorkInFlight } from './progress/work-in-flight.ts'
import type { Settlement } from './settlement.ts'
import type { WorkerDeps } from './worker-deps.ts'

export type DeliveryExecutorOptions = {
  deps: WorkerDeps
  control: PartitionControl
  partition: number
  state: PartitionState
  endpoints: Endpoints<Delivery>
  status: SubscriptionStatus
  paused: PausedDeliveries
  router: DeliveryRouter
  admissions: Admissions
  settlement: Settlement
}

type RunningAttempt = StartedJob<Delivery> & { subscription: Subscription }

/**
 * Carries out the decisions on the deliveries of one partition. `Admissions`, `PausedDeliveries`
 * and `Settlement` return decisions; every attempt and every transition begins here.
 */
export class DeliveryExecutor {
  readonly #options: DeliveryExecutorOptions
  readonly #turns: Turns
  readonly #work: WorkInFlight
  #isCarryingOut = false
  #hasMore = false

  constructor(options: DeliveryExecutorOptions) {
    this.#options = options
    this.#turns = new Turns(options.state)
    this.#work = new WorkInFlight(options.deps.onFault)
    options.endpoints.onChange((endpoint) => this.#endpointChanged(endpoint))
  }

  /** The number of attempts and transitions in progress. */
  get busy(): number {
    return this.#work.count + this.#options.router.busy
  }

  /** Decides what happens to a job whose turn has come, and does it. */
  admit(delivery: Delivery, viewIsCurrent = false): void {
    const { state, admissions } = this.#options
    if (state.isRevoked) return
    const decision = admissions.decide(delivery, viewIsCurrent)
    if (decision !== null) this.#carryOutAdmission(delivery, decision)
  }

  /** Admits the deliveries that could not be decided before. */
  admitHeld(): void {
    for (const delivery of this.#options.admissions.takeHeld()) this.admit(delivery)
  }

  #carryOutAdmission(delivery: Delivery, { admission, group }: AdmissionDecision): void {
    switch (admission.kind) {
      case 'start':
        return this.#enqueue(admission, delivery)
      case 'pause':
        return this.#pause(delivery, admission.published, group)
      case 'wait':
        return this.#wait(delivery)
      case 'reroute':
      case 'cancel':
        return void this.#move(delivery, admission)
      case 'look-again':
        return this.#lookAgain(delivery.job.subscriptionId)
    }
  }

  #wait({ job, message }: Delivery): void {
    const wasPaused = message.topic === pausedTopic && pausedMark(message).published
    const hop = this.#options.deps.attempts.nextHop(job)
    void this.#move({ job, message }, { kind: 'wait', wasPaused, ...hop })
  }

  /** Decides the subscription's deliveries again when its newest state is known. */
  #lookAgain(subscriptionId: string): void {
    const { deps, state, router, admissions } = this.#options
    const look = async () => {
      // Deliveries that arrive in the same turn of the event loop share one look.
      await Promise.resolve()
      const count = admissions.countUndecided(subscriptionId)
      await deps.subscriptions.current(subscriptionId, state.lease)
      this.#decide(subscriptionId, count)
    }
    const again = async () => {
      if (await router.faultPassed()) this.#decide(subscriptionId, 0)
    }
    this.#work.track(
      look().catch((err: unknown) => {
        void again()
        throw err
      }),
    )
  }

  /** @param count the first deliveries, for which the subscription is known to be current */
  #decide(subscriptionId: string, count: number): void {
    const { state, admissions, paused } = this.#options
    if (state.isRevoked) return
    for (const { delivery, viewIsCurrent } of admissions.takeUndecided(subscriptionId, count)) {
      this.admit(delivery, viewIsCurrent)
    }
    paused.earlierKnown()
    this.carryOut()
  }

  #pause(delivery: Delivery, published: boolean, group: number | null): void {
    const { paused, settlement } = this.#options
    const { job, message } = delivery
    if (message.topic === pausedTopic) {
      settlement.abandon(job)
      paused.putBack(delivery)
    } else {
      paused.expect(nextStepOf(job), group)
      void this.#moveToPaused(delivery, { kind: 'pause', published, group }, group)
    }
    settlement.endOrder(delivery)
  }

  async #moveToPaused(
    delivery: Delivery,
    transition: Transition,
    group: number | null,
  ): Promise<void> {
    const { paused, router, settlement } = this.#options
    const { job } = delivery
    const routed = await router.route(job, transition)
    if (routed === 'revoked') return
    const isExpected = routed !== 'made' && paused.unexpect(nextStepOf(job), group)
    // Kafka may have appended the job although the transition failed. This partition has then read
    // it already, so it is no longer expected and must not be admitted twice.
    if (routed !== 'failed' || !isExpected) settlement.settle(delivery)
    else if (transition.kind === 'relocate') paused.putBack(delivery)
    else this.admit(delivery)
    this.carryOut()
  }

  async #move(delivery: Delivery, transition: Transition): Promise<void> {
    const { paused, router, settlement } = this.#options
    const { job } = delivery
    const routed = await router.route(job, transition)
    if (routed === 'failed') this.admit(delivery)
    else if (routed !== 'revoked') settlement.settle(delivery)
    paused.transitionEnded()
    this.carryOut()
  }

  /** Carries out the decisions of the paused deliveries, one after another. */
  carryOut(): void {
    this.#hasMore = true
    if (this.#isCarryingOut || this.#options.state.isRevoked) return
    this.#isCarryingOut = true
    while (this.#hasMore) {
      this.#hasMore = false
      for (const action of this.#options.paused.actions()) this.#act(action)
    }
    this.#isCarryingOut = false
  }

  #act(action: PausedAction): void {
    const { control, partition } = this.#options
    switch (action.kind) {
      case 'release':
        return this.#release(action.delivery)
      case 'give-up':
        return action.delivery.message.finish()
      case 'relocate':
        return void this.#relocate(action)
      case 'publish':
        return void this.#publish(action.job)
      case 'read':
        return control.seek(pausedTopic, partition, action.from)
    }
  }

  async #relocate({ delivery, published }: Extract<PausedAction, { kind: 'relocate' }>) {
    const { status, paused } = this.#options
    if (status.isCancelledNow(delivery)) return this.#move(delivery, { kind: 'cancel' })
    const { group } = pausedMark(delivery.message)
    const run = paused.expect(nextStepOf(delivery.job), group)
    const mark = { run, published, group }
    await this.#moveToPaused(delivery, { kind: 'relocate', mark }, group)
  }

  #release(delivery: Delivery): void {
    const { admissions, paused, settlement } = this.#options
    const { job, message } = delivery
    if (settlement.begin(job)) {
      return this.admit(delivery, admissions.isDeleted(job.subscriptionId))
    }
    paused.gone(message.offset)
    settlement.dropRepeated(delivery)
  }

  async #publish(job: DeliveryJob): Promise<void> {
    while ((await this.#options.router.route(job, { kind: 'publish' })) === 'failed');
  }

  #enqueue({ endpointId }: { endpointId: string }, delivery: Delivery): void {
    const endpoint = this.#options.endpoints.of({ endpointId, projectId: delivery.job.projectId })
    endpoint.enqueue(delivery, delivery.job.subscriptionId)
    this.#start(endpoint)
  }

  /**
   * Starts jobs in turns between endpoints: while few may start, the first endpoint would otherwise
   * take all slots.
   */
  startAll(): void {
    for (const started of this.#turns.startAll(this.#options.endpoints.all())) this.#begin(started)
  }

  #start(endpoint: Endpoint<Delivery>): void {
    for (const started of this.#turns.start(endpoint)) this.#begin(started)
  }

  #begin({ endpoint, job: delivery, ended }: StartedJob<Delivery>): void {
    const { deps, status, paused } = this.#options
    const subscription = deps.subscriptions.get(delivery.job.subscriptionId)
    const isDeliverable = subscription?.deliverable && subscription.url === delivery.job.url
    if (isDeliverable && !status.isCancelled(subscription, delivery)) {
      return this.#work.track(this.#attempt({ job: delivery, subscription, endpoint, ended }))
    }
    // The subscription changed while the job waited. No attempt will release its slot.
    ended(undefined)
    this.admit(delivery)
    paused.endpointChanged(endpoint.id)
    queueMicrotask(() => this.carryOut())
  }

  async #attempt({ job: delivery, subscription, endpoint, ended }: RunningAttempt): Promise<void> {
    const { deps, state, status, paused, router, settlement } = this.#options
    const result = await deps.attempts
      .make(delivery, subscription, endpoint.circuits.receiver)
      .catch((err: unknown) => {
        // No attempt was made, so nothing is counted, and the job has to be admitted again.
        ended(undefined)
        void router.faultPassed().then((isOwner) => isOwner && this.admit(delivery))
        throw err
      })
    ended(endOf(result))
    // The circuit reacts before any further attempt starts. The outcome does not wait for Redis:
    // without it, the attempt would be repeated after a crash.
    const counted = { result, place: eventPlaceOf(delivery), subscriptionId: subscription.id }
    if (!status.hasLeft(subscription)) this.#work.track(endpoint.circuits.record(counted))
    this.#start(endpoint)
    paused.endpointChanged(endpoint.id)
    this.carryOut()
    // The next owner repeats a failed attempt, but a success is published in any case.
    if (state.isRevoked && !succeeded(result)) return
    const outcome = settlement.outcomeOf(delivery, result, subscription)
    void settlement.record(delivery, outcome).then((mayStart) => mayStart && this.carryOut())
  }

  #endpointChanged(endpoint: Endpoint<Delivery>): void {
    const { state, paused } = this.#options
    if (state.isRevoked) return
    if (endpoint.circuits.isAnyOpen) this.shed(endpoint)
    this.#start(endpoint)
    paused.endpointChanged(endpoint.id)
    this.carryOut()
  }

  /** Pauses the deliveries for which the endpoint has no slot. */
  shed(endpoint: Endpoint<Delivery>): void {
    const { deps, state, status } = this.#options
    // The next owner reads the waiting jobs again.
    if (state.isRevoked) return
    for (const delivery of endpoint.shed()) {
      if (status.isCancelledNow(delivery)) {
        void this.#move(delivery, { kind: 'cancel' })
        continue
      }
      const subscription = deps.subscriptions.get(delivery.job.subscriptionId)
      const isOpen = endpoint.circuits.isOpenFor(delivery.job.subscriptionId)
      this.#pause(delivery, isOpen, waitsInGroup(delivery, subscription))
    }
  }
}
