import type { DeliveryJob } from '@surehook/contracts/events'
import type { AttemptResult, NextStep } from '../attempt/decide-next-step.ts'
import type { Moves } from '../moves/moves.ts'
import type { Copy } from '../parking/parked-index.ts'
import type { Parking } from '../parking/parking.ts'
import type { Delivery } from './delivery.ts'
import type { Unsettled } from './unsettled.ts'
import type { WorkInFlight } from './work-in-flight.ts'

/** How long a job waits after a fault of ours before it is tried again. */
export const afterFaultMs = 2_000

export type NextPlacesOptions = {
  moves: Moves
  lease: AbortSignal
  work: WorkInFlight
  unsettled: Unsettled
  parking: Pick<Parking, 'expect' | 'unexpect' | 'giveUp'>
  /** Kafka holds the job in its next place. */
  settled: (delivery: Delivery) => void
  /** Whether a copy of it, in its next step, has been released from parking. */
  wasReleased: (job: DeliveryJob) => boolean
  /** Kafka refused the move: the job looks for its place anew. */
  routeAgain: (delivery: Delivery) => void
}

/**
 * Brings the jobs of a partition to their next places. A job whose move Kafka does not take keeps its
 * old place and is not forgotten: it is tried again for as long as the partition is ours.
 */
export class NextPlaces {
  readonly #options: NextPlacesOptions

  constructor(options: NextPlacesOptions) {
    this.#options = options
  }

  /** @param announced with the status `paused`; otherwise it only waits for room */
  park(delivery: Delivery, announced: boolean): void {
    this.#toParking(delivery, { announced, tell: announced })
  }

  /** From the paused topic to its end. */
  relocate(delivery: Delivery, announced: boolean): void {
    this.#toParking(delivery, { announced, tell: false })
  }

  /** Tells that a parked job, which stays where it is, is `paused`. */
  announce(job: DeliveryJob): void {
    const { moves, work } = this.#options
    const announce = async () => {
      try {
        await moves.announce(job)
      } catch (err) {
        this.#later(() => this.announce(job))
        throw err
      }
    }
    work.track(announce())
  }

  reroute(delivery: Delivery, url: string): void {
    this.#decided(delivery, ({ moves }) => moves.reroute(delivery.job, url))
  }

  cancel(delivery: Delivery): void {
    this.#decided(delivery, ({ moves }) => moves.cancel(delivery.job))
  }

  /** What an attempt came to is told until Kafka has it: the attempt itself is never repeated for that. */
  async afterAttempt(delivery: Delivery, result: AttemptResult, next: NextStep): Promise<void> {
    const { moves, unsettled } = this.#options
    await this.#make(delivery, {
      move: () => unsettled.recorded(moves.afterAttempt(delivery.job, result, next)),
      refused: () => this.#options.work.track(this.afterAttempt(delivery, result, next)),
    })
  }

  #toParking(delivery: Delivery, { announced, tell }: { announced: boolean; tell: boolean }): void {
    const { moves, parking, settled } = this.#options
    const { job } = delivery
    const replaced = parking.expect(job, announced)
    if (replaced === 'parked') return settled(delivery)
    this.#track(delivery, {
      move: async () => {
        await moves.park(job, tell)
        if (replaced !== null) parking.giveUp(replaced.offset)
      },
      refused: () => this.#unpark(delivery, replaced),
    })
  }

  #decided(delivery: Delivery, move: (options: NextPlacesOptions) => Promise<void>): void {
    this.#track(delivery, {
      move: () => move(this.#options),
      refused: () => this.#options.routeAgain(delivery),
    })
  }

  #track(delivery: Delivery, step: Step): void {
    this.#options.work.track(this.#make(delivery, step))
  }

  async #make(delivery: Delivery, { move, refused }: Step): Promise<void> {
    try {
      await move()
    } catch (err) {
      this.#later(refused)
      throw err
    }
    this.#options.settled(delivery)
  }

  /** Of the two records of a move Kafka may have taken the job: it has come back by now. */
  #unpark(delivery: Delivery, replaced: Copy | null): void {
    const { parking, settled, routeAgain, wasReleased } = this.#options
    const found = parking.unexpect(delivery.job, replaced)
    if (found === 'unwritten' || (found === 'unknown' && !wasReleased(delivery.job))) {
      return routeAgain(delivery)
    }
    if (replaced !== null) parking.giveUp(replaced.offset)
    settled(delivery)
  }

  #later(then: () => void): void {
    const { lease } = this.#options
    setTimeout(() => {
      if (!lease.aborted) then()
    }, afterFaultMs).unref()
  }
}

type Step = { move: () => Promise<void>; refused: () => void }
