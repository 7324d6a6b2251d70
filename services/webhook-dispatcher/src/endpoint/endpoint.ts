import type { AttemptEnd } from '../transitions/decide-next-attempt.ts'
import { AttemptSlots } from './attempt-slots.ts'
import type { EndpointCircuits } from './endpoint-circuits.ts'
import { type ProjectSlots, SlotWait } from './slot-wait.ts'
import { SlowStart } from './slow-start.ts'
import { type SubscriptionLimits, SubscriptionQueue } from './subscription-queue.ts'

export type EndpointLimits = {
  /** The most concurrent attempts. */
  maxInFlight: number
  /** While memory is short, a job waits in memory only if its turn is expected within this time. */
  maxLocalWaitMs: () => number
}

export type EndpointOptions = {
  limits: EndpointLimits
  /** Absent: nothing is limited. */
  slots?: ProjectSlots
  pressure: Pressure
  /** Returns the current limits of a subscription. Absent: nothing is limited. */
  limitsOf?: (subscriptionId: string) => SubscriptionLimits | undefined
  /** The time at which this process got the endpoint, in ms of `performance.now`. */
  since?: number
}

/** Returns true if waiting jobs keep the partition from being read. */
export type Pressure = () => boolean

/**
 * Jobs come back from the paused topic ahead of their turn, up to this many times the concurrent
 * attempts.
 */
const pausedTurns = 8
const unlimited: ProjectSlots = { all: new AttemptSlots(), projectId: '' }
/** An endpoint with fewer subscriptions keeps the queues of the idle ones. */
const maxIdle = 100

/** An attempt that starts. Call `ended` when it is over, with `undefined` if it was not made. */
export type StartedAttempt<T> = { job: T; ended: (end: AttemptEnd | undefined) => void }

/**
 * The state of one endpoint in this process: the queues of its subscriptions, which take turns, its
 * limit, and its latency. It knows nothing about the jobs `T` that it starts.
 */
export class Endpoint<T> {
  readonly id: string
  readonly circuits: EndpointCircuits
  /** False until the receiver's circuit is loaded: jobs queue meanwhile. */
  ready = false
  readonly #options: EndpointOptions
  readonly #onMayStart: () => void
  readonly #startedAt = new Set<{ at: number }>()
  readonly #queues = new Map<string, SubscriptionQueue<T>>()
  /** The queues with jobs. */
  readonly #busy = new Set<SubscriptionQueue<T>>()
  /** Those of them that may have a job to start, in the order of their turns. */
  readonly #turns = new Set<SubscriptionQueue<T>>()
  readonly #slowStart: SlowStart
  readonly #slotWait: SlotWait
  /** Idle queues are dropped at this number. */
  #roomAt = maxIdle
  #queued = 0
  #latencyMs = 1

  /** @param onMayStart the rate of a subscription, or a slot of its project, lets one start again */
  constructor(
    id: string,
    circuits: EndpointCircuits,
    options: EndpointOptions,
    onMayStart = () => {},
  ) {
    this.id = id
    this.circuits = circuits
    this.#options = options
    this.#onMayStart = onMayStart
    this.#slowStart = new SlowStart(options.limits.maxInFlight)
    this.#slotWait = new SlotWait(options.slots ?? unlimited, onMayStart)
  }

  get inFlight(): number {
    return this.#startedAt.size
  }

  get queued(): number {
    return this.#queued
  }

  /**
   * True if an arriving job of the subscription may wait here; otherwise it moves to the paused
   * topic.
   */
  accepts(subscriptionId: string): boolean {
    if (this.circuits.isOpenFor(subscriptionId)) return false
    const queue = this.#queueOf(subscriptionId)
    if (queue.length < this.#allowed(queue)) return true
    return !this.#isPressed(queue) || !queue.isOverForLong
  }

  /**
   * How many jobs of the subscription may come back from the paused topic. Only those that start
   * soon, because the window does not count their bodies.
   */
  slotsForPaused(subscriptionId: string): number {
    if (this.circuits.isOpenFor(subscriptionId) || this.#slotWait.isWaiting) return 0
    const queue = this.#queueOf(subscriptionId)
    const most = Math.min(this.#allowed(queue), pausedTurns * this.#capOf(queue))
    return Math.max(0, most - queue.length)
  }

  get isIdle(): boolean {
    if (this.inFlight > 0 || this.#queued > 0 || !this.circuits.isQuiet) return false
    return this.#queues.values().every(({ isIdle }) => isIdle)
  }

  enqueue(job: T, subscriptionId: string): void {
    const queue = this.#queueOf(subscriptionId)
    queue.add(job)
    this.#queued++
    this.#busy.add(queue)
    this.#turns.add(queue)
  }

  /** Returns the next job if an attempt may start, which the caller then starts. */
  next(): StartedAttempt<T> | undefined {
    if (!this.ready || this.circuits.receiver.isOpen) return undefined
    if (this.inFlight >= this.#slowStart.cap) return undefined
    const queue = this.#nextQueue()
    const slot = queue && this.#slotWait.take(this.#slowStart.isProven)
    if (queue === undefined || !slot) return undefined
    const { job, ended } = queue.start()
    this.#queued--
    this.#turns.delete(queue)
    if (queue.length > 0) this.#turns.add(queue)
    else this.#busy.delete(queue)
    const started = { at: performance.now() }
    this.#startedAt.add(started)
    return {
      job,
      ended: (end) => {
        slot[Symbol.dispose]()
        ended(end && end === 'succeeded')
        if (queue.length > 0) this.#turns.add(queue)
        this.#ended(started, end)
      },
    }
  }

  /**
   * Removes the jobs that have had no room for a while, the latest arrivals first, and all jobs of
   * a subscription whose circuit is open. Call it several times a second.
   */
  shed(): T[] {
    const shed: T[] = []
    for (const queue of this.#busy) {
      const allowed = this.#allowed(queue)
      queue.sample(allowed)
      const isOver = queue.isOverForLong && this.#isPressed(queue)
      if (this.circuits.isOpenFor(queue.subscriptionId)) shed.push(...queue.cut(0))
      else if (isOver) shed.push(...queue.cut(allowed))
      // Its policy or its circuit may have changed.
      if (queue.length > 0) this.#turns.add(queue)
    }
    for (const queue of this.#busy) if (queue.length === 0) this.#emptied(queue)
    this.#queued -= shed.length
    return shed
  }

  /** Removes all jobs that have not started, in the order of their queues. */
  takeQueued(): T[] {
    const taken = [...this.#busy].flatMap((queue) => queue.cut(0))
    for (const queue of this.#busy) this.#emptied(queue)
    this.#queued -= taken.length
    return taken
  }

  /**
   * Call it after a cooldown: starts with few attempts, so that a recovering receiver is not
   * overloaded.
   * @param subscriptionId null: the circuit of all was open
   */
  ramp(subscriptionId: string | null): void {
    if (subscriptionId === null) this.#slowStart.begin()
    else this.#queueOf(subscriptionId).ramp()
  }

  dispose(): void {
    for (const queue of this.#queues.values()) queue.dispose()
    this.#slotWait.dispose()
    this.circuits.dispose()
  }

  /** A job may wait for hours for its rate, so it must not wait in memory. */
  #isPressed(queue: SubscriptionQueue<T>): boolean {
    return queue.perSecond !== null || this.#options.pressure()
  }

  #capOf(queue: SubscriptionQueue<T>): number {
    return Math.min(this.#slowStart.cap, queue.cap)
  }

  #nextQueue(): SubscriptionQueue<T> | undefined {
    for (const queue of this.#turns) {
      if (queue.mayStart && !this.circuits.isOpenFor(queue.subscriptionId)) return queue
      // Its timer, an ended attempt or `shed` gives it a turn again.
      this.#turns.delete(queue)
    }
    return undefined
  }

  #queueOf(subscriptionId: string): SubscriptionQueue<T> {
    const known = this.#queues.get(subscriptionId)
    if (known !== undefined) return known
    this.#makeRoom()
    const { limits, limitsOf, since = 0 } = this.#options
    const queue = new SubscriptionQueue<T>(subscriptionId, {
      limits: () => limitsOf?.(subscriptionId),
      maxInFlight: limits.maxInFlight,
      since,
      onMayStart: () => this.#mayStart(queue),
    })
    this.#queues.set(subscriptionId, queue)
    void this.#restore(queue)
    return queue
  }

  #makeRoom(): void {
    if (this.#queues.size < this.#roomAt) return
    for (const [id, queue] of this.#queues) {
      if (!queue.isIdle) continue
      queue.dispose()
      this.#queues.delete(id)
    }
    this.#roomAt = Math.max(maxIdle, this.#queues.size * 2)
  }

  async #restore(queue: SubscriptionQueue<T>): Promise<void> {
    await this.circuits.restore(queue.subscriptionId)
    queue.ready = true
    this.#mayStart(queue)
  }

  #mayStart(queue: SubscriptionQueue<T>): void {
    if (queue.length > 0) this.#turns.add(queue)
    this.#onMayStart()
  }

  #emptied(queue: SubscriptionQueue<T>): void {
    this.#busy.delete(queue)
    this.#turns.delete(queue)
  }

  #ended(started: { at: number }, end: AttemptEnd | undefined): void {
    this.#startedAt.delete(started)
    if (end === undefined) return
    this.#latencyMs += 0.2 * (performance.now() - started.at - this.#latencyMs)
    // A receiver that refuses a delivery is up.
    this.#slowStart.ended(end !== 'failed')
  }

  /**
   * The number of the queue's jobs expected to start within `maxLocalWaitMs`, when it takes turns
   * with the others. Attempts that are still unanswered count too.
   */
  #allowed(queue: SubscriptionQueue<T>): number {
    const turns = this.#busy.size + (this.#busy.has(queue) ? 0 : 1)
    const [oldest] = this.#startedAt
    const age = oldest === undefined ? 0 : performance.now() - oldest.at
    const { isWaiting, waitedMs } = this.#slotWait
    const expectedMs = Math.max(this.#latencyMs, age, waitedMs, 0.1)
    const waitMs = this.#options.limits.maxLocalWaitMs()
    const within = (cap: number) =>
      Math.max(cap, Math.floor((Math.max(1, cap) * waitMs) / expectedMs))
    // If its project has taken all slots, it goes on with those that it has.
    const ofAll = within(isWaiting ? this.inFlight : this.#slowStart.cap)
    const answered = Math.min(Math.floor(ofAll / turns), within(queue.cap))
    const { perSecond } = queue
    if (perSecond === null) return answered
    return Math.min(answered, Math.max(1, Math.floor((perSecond * waitMs) / 1_000)))
  }
}
