import type { DeliveryJob } from '@surehook/contracts/events'
import { pausedTopic } from '@surehook/contracts/topics'
import type { Delivery } from '../delivery/delivery.ts'
import type { PausedDeliveries } from '../paused/paused-deliveries.ts'
import type { Subscription } from '../subscriptions/subscription.ts'
import type { AttemptResult } from '../transitions/decide-next-attempt.ts'
import type { DeliveryRouter } from '../transitions/delivery-router.ts'
import { retryInOrder, type Transition } from '../transitions/transitions.ts'
import { orderGroup, type RecordOrder } from './admission/record-order.ts'
import type { SubscriptionStatus } from './admission/subscription-status.ts'
import { RecentTransitions } from './progress/recent-transitions.ts'
import type { UnsettledOutcomes } from './progress/unsettled-outcomes.ts'
import type { WorkerDeps } from './worker-deps.ts'

export type Outcome = Extract<Transition, { kind: 'attempted' }>

export type SettlementOptions = {
  deps: Pick<WorkerDeps, 'attempts' | 'subscriptions' | 'metrics'>
  status: SubscriptionStatus
  order: RecordOrder
  paused: PausedDeliveries
  router: DeliveryRouter
  unsettled: UnsettledOutcomes
}

/** How many steps are remembered to recognise repetitions. */
const rememberedSteps = 20_000

/**
 * Follows the steps of the deliveries of one partition: begins each step once, records the outcomes
 * of attempts, and finishes a step when Kafka has its result.
 */
export class Settlement {
  readonly #options: SettlementOptions
  readonly #steps = new RecentTransitions(rememberedSteps)

  constructor(options: SettlementOptions) {
    this.#options = options
  }

  /** @returns false if the step was begun before, so that this delivery is a repetition */
  begin({ deliveryId, step }: DeliveryJob): boolean {
    return this.#steps.begin(deliveryId, step)
  }

  /** Forgets a step that was begun and will come again. */
  abandon({ deliveryId, step }: DeliveryJob): void {
    this.#steps.abandon(deliveryId, step)
  }

  isDone({ deliveryId, step }: DeliveryJob): boolean {
    return this.#steps.isDone(deliveryId, step)
  }

  /** Remembers a job that was finished before this process owned the partition. */
  remember(job: DeliveryJob): void {
    if (this.begin(job)) this.#steps.done(job.deliveryId, job.step)
  }

  dropRepeated({ message }: Delivery): void {
    this.#options.deps.metrics.repeated.inc()
    message.finish()
  }

  /**
   * Decides what follows an attempt. Uses the current state of the subscription. If that is
   * unreadable, uses the state with which the attempt was made. A failed delivery of a deleted
   * subscription is cancelled: its dead letter would be an event of an environment that may be
   * deleted, too.
   */
  outcomeOf(delivery: Delivery, result: AttemptResult, before: Subscription): Outcome {
    const { deps, status } = this.#options
    const now = deps.subscriptions.get(delivery.job.subscriptionId)
    const isDeleted = now === undefined
    const latest = isDeleted || now.url === null ? before : now
    const next = deps.attempts.nextStep(delivery.job, result, latest)
    const isRetried = next.kind === 'retry'
    const isCancelled = isRetried && status.isCancelledInFlight(latest, delivery)
    const isOver = isCancelled || (isDeleted && next.kind !== 'delivered')
    const group = isRetried && !isOver ? orderGroup(delivery.job, latest) : null
    return { kind: 'attempted', result, next: isOver ? { kind: 'cancelled' } : next, group }
  }

  /**
   * Repeats the outcome until Kafka has it. The attempt is not repeated.
   * @returns whether another delivery of its record may start now
   */
  async record(delivery: Delivery, outcome: Outcome): Promise<boolean> {
    const { paused, router, unsettled } = this.#options
    const retry = outcome.group === null ? null : retryInOrder(delivery.job)
    // Later deliveries of the record wait behind the retry from now on.
    if (retry !== null) paused.expect(retry, outcome.group)
    const route = () => unsettled.recorded(router.route(delivery.job, outcome))
    let routed = await route()
    while (routed === 'failed') routed = await route()
    if (routed === 'revoked') return false
    if (retry !== null && routed === 'refused') paused.unexpect(retry, outcome.group)
    return this.settle(delivery)
  }

  /**
   * Finishes the delivery's step. Call it when Kafka has the delivery's next record.
   * @returns whether another delivery of its record may start now
   */
  settle(delivery: Delivery): boolean {
    const { job, message } = delivery
    this.#steps.done(job.deliveryId, job.step)
    if (message.topic === pausedTopic) this.#options.paused.gone(message.offset)
    message.finish()
    return this.endOrder(delivery)
  }

  /** @returns whether another delivery of its record may start now */
  endOrder(delivery: Delivery): boolean {
    const group = this.#options.order.end(delivery)
    if (group !== undefined) this.#options.paused.recordEnded(delivery.job, group)
    return group !== undefined
  }
}
