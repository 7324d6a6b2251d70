import type { DeliveryJob } from '@surehook/contracts/events'
import { PartitionLane } from '@surehook/service-kit/kafka/partition-lane'
import type { ParkedDelivery } from '../../src/parking/parked-bodies.ts'
import { Parking } from '../../src/parking/parking.ts'

/** The paused topic of one partition and its reader, without Kafka: a log, a position, a pause. */
export class ParkedWorld {
  readonly log: DeliveryJob[] = []
  readonly released: DeliveryJob[] = []
  readonly announced: number[] = []
  readonly blocked = new Set<string>()
  /** What other steps of these came to is known. */
  readonly doneElsewhere = new Set<string>()
  lane: PartitionLane
  parking: Parking
  room: number
  /** How often somebody's admission was asked for. */
  asked = 0
  seeks = 0
  #position = 0
  #paused = false
  #finished = 0

  constructor(room: number) {
    this.room = room
    this.lane = this.#laneAt(0, '')
    this.parking = this.#open()
  }

  get finished(): number {
    return this.#finished
  }

  park(subscriptionId: string, arrival: number, step = 0): void {
    const job = { subscriptionId, arrival, step, deliveryId: `${subscriptionId}/${arrival}` }
    const replaced = this.parking.expect(job as DeliveryJob, this.blocked.has(subscriptionId))
    if (replaced === 'parked') return
    this.log.push({ ...job, step: step + 1, body: Buffer.alloc(10) } as DeliveryJob)
    if (replaced !== null) this.parking.giveUp(replaced.offset)
  }

  /** What was parked last, and is still, comes again from where it was before, or from a later retry. */
  parkAgain(later: boolean): void {
    const last = this.log.at(-1)
    const open = last !== undefined && this.lane.next === this.log.length
    if (!open || !this.parking.recovered || this.released.some((job) => isCopy(job, last))) return
    this.park(last.subscriptionId, last.arrival, later ? last.step + 1 : last.step - 1)
  }

  /** One fetch: the reader sees the next few messages, unless it is paused. */
  fetch(count: number): void {
    if (this.#paused) return
    for (const job of this.log.slice(this.#position, this.#position + count)) {
      const offset = this.#position++
      const taken = this.lane.take(offset, job.body.length)
      if (taken === 'finished') continue
      const delivery = this.#delivery(job, offset, taken === 'open')
      if (this.doneElsewhere.has(job.deliveryId)) {
        this.parking.forget(delivery)
        delivery.message.finish()
      } else this.parking.read(delivery)
    }
    this.parking.afterRead()
    // As the commit loop does: it also finds out whether the metadata is full.
    this.lane.position()
  }

  getRoom(count: number): void {
    this.room = count
    this.parking.endpointChanged('e')
  }

  block(subscriptionId: string, isBlocked: boolean): void {
    if (isBlocked) this.blocked.add(subscriptionId)
    else this.blocked.delete(subscriptionId)
    this.parking.subscriptionChanged(subscriptionId)
  }

  /** The process dies and another takes over from the last commit. */
  crash(): void {
    const { offset, metadata } = this.lane.position()
    this.#position = offset
    this.#paused = false
    this.lane = this.#laneAt(offset, metadata)
    this.parking = this.#open()
  }

  /** A rebalance that took nothing away. */
  rejoin(): void {
    this.#position = this.lane.next
    this.parking.rejoined()
  }

  #delivery(job: DeliveryJob, offset: number, reread: boolean): ParkedDelivery {
    const { lane } = this
    const message = {
      offset,
      reread,
      detach: () => lane.detach(offset),
      finish: () => {
        lane.finish(offset)
        this.#finished++
      },
    }
    return { job, message } as unknown as ParkedDelivery
  }

  #laneAt(committed: number, metadata: string): PartitionLane {
    const end = this.log.length
    return new PartitionLane({ topic: 'paused', partition: 0, committed, metadata, end })
  }

  #open(): Parking {
    return new Parking({
      lane: this.lane,
      admission: (id) => {
        this.asked++
        return this.blocked.has(id) ? -1 : this.room
      },
      // All have the same one.
      endpointOf: (id) => (this.blocked.has(id) ? null : 'e'),
      isPaused: (id) => this.blocked.has(id),
      announce: ({ arrival }) => void this.announced.push(arrival),
      release: ({ job, message }) => {
        this.room--
        this.released.push(job)
        message.finish()
      },
      relocate: ({ job, message }, announced) => {
        this.parking.expect(job, announced)
        this.log.push({ ...job, step: job.step + 1 })
        message.finish()
      },
      seek: (offset) => {
        this.seeks++
        this.#position = offset
      },
      pause: () => {
        this.#paused = true
      },
      resume: () => {
        this.#paused = false
      },
    })
  }
}

const isCopy = (a: DeliveryJob, b: DeliveryJob) => a.deliveryId === b.deliveryId
