import type { DeliveryJob } from '@surehook/contracts/events'
import { aJob } from '@surehook/contracts/testing/samples'
import { AssignedPartition } from '@surehook/kafka/windowed/assigned-partition'
import type { Delivery } from '../../src/delivery/delivery.ts'
import { type PausedMark, pausedHeaders } from '../../src/delivery/paused-headers.ts'
import type { PausedAction } from '../../src/paused/paused-actions.ts'
import { PausedDeliveries } from '../../src/paused/paused-deliveries.ts'
import { nextStepOf } from '../../src/transitions/transitions.ts'

type LogEntry = { job: DeliveryJob; headers: Record<string, string> }

/** The paused topic of one partition and its reader, without Kafka: a log and a position. */
export class PausedWorld {
  readonly log: LogEntry[] = []
  readonly released: DeliveryJob[] = []
  readonly announced: number[] = []
  readonly blocked = new Set<string>()
  /** Deleted subscriptions: their deliveries need no endpoint. */
  readonly gone = new Set<string>()
  /** Deliveries whose step was already handled elsewhere. */
  readonly doneElsewhere = new Set<string>()
  assignment: AssignedPartition
  paused: PausedDeliveries
  room: number
  /** Subscriptions that have no slot, although their endpoint has some. */
  readonly limited = new Set<string>()
  /** The size of each body from now on. */
  bodyBytes = 10
  /** How often the slots of a subscription were asked for. */
  asked = 0
  seeks = 0
  /** How many jobs were read so far, including repetitions. */
  bodiesRead = 0
  /** The highest number of entries in memory. */
  mostEntries = 0
  #position = 0
  #finished = 0

  constructor(room: number) {
    this.room = room
    this.assignment = this.#assignmentAt(0, '')
    this.paused = this.#open()
  }

  get finished(): number {
    return this.#finished
  }

  /** True if everything was read at least once. */
  get isRead(): boolean {
    return this.assignment.next >= this.log.length && this.assignment.skippedFrom === null
  }

  pause(
    subscriptionId: string,
    arrival: number,
    { step = 0, group = null }: { step?: number; group?: number | null } = {},
  ): void {
    const deliveryId = `${subscriptionId}/${arrival}`
    const job = aJob({ subscriptionId, arrival, step, deliveryId })
    this.paused.expect(nextStepOf(job), group)
    const published = this.blocked.has(subscriptionId)
    this.#write(job, { run: 0, published, group })
    this.#carryOut()
  }

  /** Writes a delivery as an earlier owner did. */
  left(
    subscriptionId: string,
    arrival: number,
    mark: PausedMark = { run: 0, published: true, group: null },
  ): void {
    const deliveryId = `${subscriptionId}/${arrival}`
    this.#write(aJob({ subscriptionId, arrival, deliveryId }), mark)
  }

  /** Pauses the last delivery again: with its previous step, or with that of a later retry. */
  pauseAgain(later: boolean): void {
    const last = this.log.at(-1)?.job
    const isOpen = last !== undefined && this.isRead
    if (!isOpen || !this.paused.isReady || this.released.some((job) => isCopy(job, last))) return
    this.pause(last.subscriptionId, last.arrival, {
      step: later ? last.step + 1 : last.step - 1,
    })
  }

  /** Fetches once: the reader gets the next few messages. */
  fetch(count: number): void {
    const begin = this.#position
    if (begin >= this.log.length) return this.#carryOut()
    this.paused.batchBegins(begin)
    for (const entry of this.log.slice(begin, begin + count)) this.#read(entry)
    this.paused.batchEnded(this.#position)
    // Like the commit loop, which also detects whether the metadata is full.
    this.assignment.position()
    this.mostEntries = Math.max(this.mostEntries, this.paused.entries)
    this.#carryOut()
  }

  getRoom(count: number): void {
    this.room = count
    this.paused.endpointChanged('e')
    this.#carryOut()
  }

  block(subscriptionId: string, isBlocked: boolean): void {
    if (isBlocked) this.blocked.add(subscriptionId)
    else this.blocked.delete(subscriptionId)
    this.paused.subscriptionChanged(subscriptionId)
    this.#carryOut()
  }

  tick(): void {
    this.paused.tick()
    this.#carryOut()
  }

  /**
   * Kills the process; another takes over from the last commit. Without the
   * note, the commit has none that the next owner can read.
   */
  crash({ withNote = true } = {}): void {
    const { offset, metadata } = this.assignment.position()
    this.#position = offset
    this.assignment = this.#assignmentAt(
      offset,
      withNote ? metadata : (metadata.split('=')[0] ?? ''),
    )
    this.paused = this.#open()
    this.#carryOut()
  }

  /** A rebalance that revokes nothing. */
  rejoin(): void {
    this.#position = this.assignment.next
    this.paused.sought()
    this.#carryOut()
  }

  #write(job: DeliveryJob, mark: PausedMark): void {
    const headers = pausedHeaders(mark)
    this.log.push({
      job: { ...job, step: job.step + 1, body: Buffer.alloc(this.bodyBytes) },
      headers,
    })
  }

  #read({ job, headers }: LogEntry): void {
    const offset = this.#position++
    const taken = this.assignment.take(offset, job.body.length)
    if (taken === 'finished') return
    this.bodiesRead++
    const delivery = this.#delivery(job, { offset, headers, reread: taken === 'open' })
    if (this.doneElsewhere.has(job.deliveryId)) {
      this.paused.repeated(delivery)
      delivery.message.finish()
    } else this.paused.read(delivery)
  }

  #carryOut(): void {
    for (const action of this.paused.actions()) this.#act(action)
  }

  #act(action: PausedAction): void {
    switch (action.kind) {
      case 'release':
        this.room--
        this.released.push(action.delivery.job)
        return this.#finish(action.delivery)
      case 'give-up':
        return action.delivery.message.finish()
      case 'relocate': {
        const { delivery, published } = action
        const run = this.paused.expect(nextStepOf(delivery.job), null)
        this.#write(delivery.job, { run, published, group: null })
        return this.#finish(delivery)
      }
      case 'publish':
        return void this.announced.push(action.job.arrival)
      case 'read':
        this.seeks++
        this.#position = action.from
    }
  }

  #finish({ message }: Delivery): void {
    this.paused.gone(message.offset)
    message.finish()
  }

  #delivery(
    job: DeliveryJob,
    message: { offset: number; headers: Record<string, string>; reread: boolean },
  ): Delivery {
    const { assignment } = this
    const { offset } = message
    const finish = () => {
      assignment.finish(offset)
      this.#finished++
    }
    return {
      job,
      message: { ...message, detach: () => assignment.detach(offset), finish },
    } as Delivery
  }

  #assignmentAt(committed: number, metadata: string): AssignedPartition {
    const end = this.log.length
    return new AssignedPartition({ topic: 'paused', partition: 0, committed, metadata, end })
  }

  #open(): PausedDeliveries {
    return new PausedDeliveries(this.assignment, {
      transitionsFreeAgain: () => false,
      slotsOf: (id) => {
        this.asked++
        if (this.blocked.has(id)) return -1
        return this.limited.has(id) ? 0 : this.room
      },
      // All subscriptions share one endpoint.
      endpointOf: (id) => (this.blocked.has(id) || this.gone.has(id) ? null : 'e'),
      isPaused: (id) => this.blocked.has(id),
      isBusy: () => false,
      dueAt: () => 0,
      isNext: () => true,
      mayGo: () => true,
    })
  }
}

const isCopy = (a: DeliveryJob, b: DeliveryJob) => a.deliveryId === b.deliveryId
