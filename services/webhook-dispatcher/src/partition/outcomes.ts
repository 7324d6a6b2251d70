import { pausedTopic } from '@surehook/contracts/topics'
import type { Delivery } from '../delivery/delivery.ts'
import type { Subscription } from '../subscriptions/subscriptions.ts'
import type { AttemptResult } from '../transitions/decide-next-attempt.ts'
import { retryInOrder, type Transition } from '../transitions/transitions.ts'
import { orderGroup } from './admission/record-order.ts'
import type { PartitionState } from './partition-state.ts'

export type Outcome = Extract<Transition, { kind: 'attempted' }>

/** Decides the outcomes of attempts and records them, and ends what a delivery held here. */
export class Outcomes {
  readonly #state: PartitionState
  readonly #onOrderEnded: () => void

  /** @param onOrderEnded another delivery of a record may start */
  constructor(state: PartitionState, onOrderEnded: () => void) {
    this.#state = state
    this.#onOrderEnded = onOrderEnded
  }

  /**
   * Decides by the current subscription. If it was deleted or has become unreadable, decides by the
   * one from before.
   */
  of(delivery: Delivery, result: AttemptResult, before: Subscription): Outcome {
    const { attempts, subscriptions } = this.#state.deps
    const now = subscriptions.get(delivery.job.subscriptionId)
    const latest = now === undefined || now.url === null ? before : now
    const next = attempts.nextStep(delivery.job, result, latest)
    const isRetried = next.kind === 'retry'
    const isOver = isRetried && this.#state.isCancelledInFlight(latest, delivery)
    const group = isRetried && !isOver ? orderGroup(delivery.job, latest) : null
    return { kind: 'attempted', result, next: isOver ? { kind: 'cancelled' } : next, group }
  }

  /** Repeats the outcome until Kafka has it. The attempt is not repeated. */
  async record(delivery: Delivery, outcome: Outcome): Promise<void> {
    const { paused, router, unsettled } = this.#state
    const retry = outcome.group === null ? null : retryInOrder(delivery.job)
    // Later ones of its record wait behind it from now on.
    if (retry !== null) paused.expect(retry, outcome.group)
    const route = () => unsettled.recorded(router.route(delivery.job, outcome))
    let routed = await route()
    while (routed === 'failed') routed = await route()
    if (routed === 'revoked') return
    if (retry !== null && routed === 'refused') paused.unexpect(retry, outcome.group)
    this.settle(delivery)
  }

  /** Call it when Kafka has the delivery's next place. */
  settle(delivery: Delivery): void {
    const { job, message } = delivery
    this.#state.steps.done(job.deliveryId, job.step)
    if (message.topic === pausedTopic) this.#state.paused.gone(message.offset)
    message.finish()
    if (this.endOrder(delivery)) this.#onOrderEnded()
  }

  /** @returns whether another delivery of its record may start now */
  endOrder(delivery: Delivery): boolean {
    const queueId = this.#state.order.end(delivery)
    if (queueId !== undefined) this.#state.paused.groupChanged(queueId)
    return queueId !== undefined
  }
}
