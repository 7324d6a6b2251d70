import type { DeliveryJob } from '@surehook/contracts/events'
import { pausedTopic } from '@surehook/contracts/topics'
import { type Delivery, eventPlaceOf } from '../delivery/delivery.ts'
import { pausedMark } from '../delivery/paused-headers.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import type { PausedAction } from '../paused/paused-actions.ts'
import type { Subscription } from '../subscriptions/subscriptions.ts'
import { succeeded } from '../transitions/decide-next-attempt.ts'
import { nextStepOf, type Transition } from '../transitions/transitions.ts'
import { type Admission, decideAdmission } from './admission/admission.ts'
import { waitsInGroup } from './admission/record-order.ts'
import type { Started } from './admission/turns.ts'
import { Outcomes } from './outcomes.ts'
import type { PartitionState } from './partition-state.ts'

type Attempted = Omit<Started<Delivery>, 'job'> & { delivery: Delivery; subscription: Subscription }

/**
 * Carries out the decisions on the deliveries of one partition. `admission.ts`,
 * `paused-deliveries.ts` and `decide-next-attempt.ts` only return decisions; every effect happens
 * here.
 */
export class DeliveryExecutor {
  readonly #state: PartitionState
  readonly #outcomes: Outcomes
  #isCarryingOut = false
  #hasMore = false

  constructor(state: PartitionState) {
    this.#state = state
    this.#outcomes = new Outcomes(state, () => this.carryOut())
  }

  /** Decides what happens to a job whose turn has come, and does it. */
  admit(delivery: Delivery, viewIsCurrent = false): void {
    if (this.#state.lease.aborted) return
    if (this.#state.isDraining || !this.#state.paused.isReady)
      return void this.#state.held.push(delivery)
    const { job } = delivery
    if (this.#state.undecided.has(job.subscriptionId)) return this.#state.undecided.add(delivery)
    const isPaused = delivery.message.topic === pausedTopic
    const subscription = this.#state.deps.subscriptions.get(job.subscriptionId)
    const group = waitsInGroup(delivery, subscription)
    const hasEarlier = this.#state.hasEarlier(delivery, group)
    const admission = decideAdmission(job, {
      subscription,
      viewIsCurrent,
      wasCancelled: (known) => this.#state.isCancelled(known, delivery),
      endpoint: (endpointId) => {
        const { circuit, accepts } = this.#state.endpoints.of(endpointId)
        return { circuitIsOpen: circuit.isOpen, accepts: accepts || isPaused }
      },
      mayHavePaused: hasEarlier,
      waitsForRecord: group !== null && hasEarlier,
      now: Date.now(),
    })
    this.#carryOutAdmission(delivery, admission, group)
  }

  #carryOutAdmission(delivery: Delivery, admission: Admission, group: number | null): void {
    switch (admission.kind) {
      case 'start':
        this.#state.order.start(delivery, group)
        return this.#enqueue(this.#state.endpoints.of(admission.endpointId), delivery)
      case 'pause':
        return this.#pause(delivery, admission.published, group)
      case 'wait':
        return this.#wait(delivery, group)
      case 'reroute':
      case 'cancel':
        this.#state.order.start(delivery, group)
        return void this.#move(delivery, admission)
      case 'look-again':
        return this.#lookAgain(delivery)
    }
  }

  #wait(delivery: Delivery, group: number | null): void {
    const { job, message } = delivery
    const isPaused = message.topic === pausedTopic
    if (isPaused && group !== null) return this.#pause(delivery, false, group)
    this.#state.order.start(delivery, group)
    const wasPaused = isPaused && pausedMark(message).published
    const hop = this.#state.deps.attempts.nextHop(job)
    void this.#move(delivery, { kind: 'wait', wasPaused, ...hop })
  }

  /** Those of its subscription that come meanwhile wait behind it. */
  #lookAgain(delivery: Delivery): void {
    const { subscriptionId } = delivery.job
    this.#state.undecided.add(delivery)
    const look = async () => {
      // Deliveries that arrive in the same turn of the event loop share one look.
      await Promise.resolve()
      const count = this.#state.undecided.count(subscriptionId)
      await this.#state.deps.subscriptionsCurrent(this.#state.lease)
      this.#decide(subscriptionId, count)
    }
    const again = async () => {
      if (await this.#state.router.faultPassed()) this.#decide(subscriptionId, 0)
    }
    this.#state.work.track(
      look().catch((err: unknown) => {
        void again()
        throw err
      }),
    )
  }

  /**
   * Decides the waiting deliveries of the subscription, in order.
   * @param count the first deliveries, for which the view of subscriptions is known to be current
   */
  #decide(subscriptionId: string, count: number): void {
    if (this.#state.lease.aborted) return
    const isGone = count > 0 && this.#state.deps.subscriptions.get(subscriptionId) === undefined
    if (isGone) this.#state.gone.add(subscriptionId)
    for (const [nth, delivery] of this.#state.undecided.take(subscriptionId).entries()) {
      this.admit(delivery, nth < count)
    }
    this.#state.paused.earlierKnown()
    this.carryOut()
  }

  #pause(delivery: Delivery, published: boolean, group: number | null): void {
    const { job, message } = delivery
    if (message.topic === pausedTopic) {
      this.#state.steps.abandon(job.deliveryId, job.step)
      this.#state.paused.putBack(delivery)
    } else {
      this.#state.paused.expect(nextStepOf(job), group)
      void this.#moveToPaused(delivery, { kind: 'pause', published, group }, group)
    }
    this.#outcomes.endOrder(delivery)
  }

  async #moveToPaused(
    delivery: Delivery,
    transition: Transition,
    group: number | null,
  ): Promise<void> {
    const { job } = delivery
    const routed = await this.#state.router.route(job, transition)
    if (routed === 'revoked') return
    const { paused } = this.#state
    const isExpected = routed !== 'made' && paused.unexpect(nextStepOf(job), group)
    // Kafka may have taken the job of a failed transition. Then it was read by now, and must not be
    // admitted twice.
    if (routed !== 'failed' || !isExpected) this.#outcomes.settle(delivery)
    else if (transition.kind === 'relocate') this.#state.paused.putBack(delivery)
    else this.admit(delivery)
    this.carryOut()
  }

  async #move(delivery: Delivery, transition: Transition): Promise<void> {
    const { job } = delivery
    const routed = await this.#state.router.route(job, transition)
    if (routed === 'failed') this.admit(delivery)
    else if (routed !== 'revoked') this.#outcomes.settle(delivery)
    this.#state.paused.transitionEnded(job.subscriptionId)
    this.carryOut()
  }

  /** Carries out the decisions of the paused deliveries, one after another. */
  carryOut(): void {
    this.#hasMore = true
    if (this.#isCarryingOut || this.#state.lease.aborted) return
    this.#isCarryingOut = true
    while (this.#hasMore) {
      this.#hasMore = false
      for (const action of this.#state.paused.actions()) this.#act(action)
    }
    this.#isCarryingOut = false
  }

  #act(action: PausedAction): void {
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
        return this.#state.deps.reader.seek(pausedTopic, this.#state.partition, action.from)
    }
  }

  async #relocate({ delivery, published }: Extract<PausedAction, { kind: 'relocate' }>) {
    if (this.#state.isCancelledNow(delivery)) return this.#move(delivery, { kind: 'cancel' })
    const { group } = pausedMark(delivery.message)
    const run = this.#state.paused.expect(nextStepOf(delivery.job), group)
    const mark = { run, published, group }
    await this.#moveToPaused(delivery, { kind: 'relocate', mark }, group)
  }

  #release(delivery: Delivery): void {
    const { deliveryId, step, subscriptionId } = delivery.job
    if (this.#state.steps.begin(deliveryId, step)) {
      return this.admit(delivery, this.#state.gone.has(subscriptionId))
    }
    this.#state.paused.gone(delivery.message.offset)
    this.dropRepeated(delivery)
  }

  async #publish(job: DeliveryJob): Promise<void> {
    while ((await this.#state.router.route(job, { kind: 'publish' })) === 'failed');
  }

  #enqueue(endpoint: Endpoint<Delivery>, delivery: Delivery): void {
    endpoint.enqueue(delivery)
    this.#start(endpoint)
  }

  /**
   * Starts jobs in turns between endpoints: while few may start, the first endpoint would otherwise
   * take all slots.
   */
  startAll(): void {
    for (const started of this.#state.turns.startAll(this.#state.endpoints.all()))
      this.#begin(started)
  }

  #start(endpoint: Endpoint<Delivery>): void {
    for (const started of this.#state.turns.start(endpoint)) this.#begin(started)
  }

  #begin({ endpoint, job: delivery, ended }: Started<Delivery>): void {
    const subscription = this.#state.deps.subscriptions.get(delivery.job.subscriptionId)
    const isDeliverable = subscription?.deliverable && subscription.url === delivery.job.url
    if (isDeliverable && !this.#state.isCancelled(subscription, delivery)) {
      return this.#state.work.track(this.#attempt({ delivery, subscription, endpoint, ended }))
    }
    // The subscription changed while the job waited. Its slot is free, and no attempt will release
    // it.
    ended(undefined)
    this.admit(delivery)
    this.#state.paused.endpointChanged(endpoint.id)
    queueMicrotask(() => this.carryOut())
  }

  async #attempt({ delivery, subscription, endpoint, ended }: Attempted): Promise<void> {
    const result = await this.#state.deps.attempts
      .make(delivery, subscription, endpoint.circuit)
      .catch((err: unknown) => {
        // No attempt was made, so nothing is counted, and the job has to be admitted again.
        ended(undefined)
        void this.#admitLater(delivery)
        throw err
      })
    ended(succeeded(result))
    // The circuit reacts before any further attempt starts.
    const recorded = endpoint.circuit.record(result, eventPlaceOf(delivery))
    this.#start(endpoint)
    this.#state.paused.endpointChanged(endpoint.id)
    this.carryOut()
    await recorded
    // The next owner repeats a failed attempt, but a success is published in any case.
    if (this.#state.lease.aborted && !succeeded(result)) return
    void this.#outcomes.record(delivery, this.#outcomes.of(delivery, result, subscription))
  }

  async #admitLater(delivery: Delivery): Promise<void> {
    if (await this.#state.router.faultPassed()) this.admit(delivery)
  }

  dropRepeated({ message }: Delivery): void {
    this.#state.deps.metrics.repeated.inc()
    message.finish()
  }

  /** Its circuit opened or closed, or became known, or its rate lets one start again. */
  endpointChanged(endpoint: Endpoint<Delivery>): void {
    if (this.#state.lease.aborted) return
    if (endpoint.circuit.isOpen) this.shed(endpoint)
    else this.#start(endpoint)
    this.#state.paused.endpointChanged(endpoint.id)
    this.carryOut()
  }

  /** Pauses the deliveries for which the endpoint has no slot. */
  shed(endpoint: Endpoint<Delivery>): void {
    // The next owner reads the waiting jobs again.
    if (this.#state.lease.aborted) return
    const { isOpen } = endpoint.circuit
    for (const delivery of endpoint.shed()) {
      if (this.#state.isCancelledNow(delivery)) {
        void this.#move(delivery, { kind: 'cancel' })
        continue
      }
      const subscription = this.#state.deps.subscriptions.get(delivery.job.subscriptionId)
      this.#pause(delivery, isOpen, waitsInGroup(delivery, subscription))
    }
  }
}
