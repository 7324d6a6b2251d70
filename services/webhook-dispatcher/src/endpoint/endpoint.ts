import { FairSlots } from '@surehook/service-kit/slots/fair-slots'
import type { Circuit } from './circuit.ts'
import { RateLimit } from './rate-limit.ts'
import { type ProjectSlots, SlotWait } from './slot-wait.ts'
import { SlowStart } from './slow-start.ts'

export type EndpointLimits = {
  /** The most concurrent attempts. */
  maxInFlight: number
  /** While memory is short, a job waits in memory only if its turn is expected within this time. */
  maxLocalWaitMs: () => number
}

/**
 * The limits that the endpoint's subscriptions set. null: only the installation's limit applies.
 */
export type EndpointPolicy = { concurrency: number | null; perSecond: number | null }

export type EndpointOptions = {
  limits: EndpointLimits
  /** Absent: nothing is limited. */
  slots?: ProjectSlots
  pressure: Pressure
  /** Returns the current limits. Absent: nothing is limited. */
  policyOf?: (endpointId: string) => EndpointPolicy | undefined
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
const unlimited: ProjectSlots = { all: new FairSlots({ room: {} }), projectId: '' }
/** Latency that rises for less than this (a garbage collection, a busy machine) pauses nothing. */
const lastsMs = 500

/**
 * The state of one endpoint in this process: its queue in order of arrival, its limit, and its
 * latency. It knows nothing about the jobs `T` that it starts.
 */
export class Endpoint<T> {
  readonly id: string
  readonly circuit: Circuit
  /** False until the circuit's state is loaded: jobs queue meanwhile. */
  ready = false
  readonly #limits: EndpointLimits
  readonly #pressure: Pressure
  readonly #policyOf: () => EndpointPolicy | undefined
  readonly #rate: RateLimit
  readonly #onMayStart: () => void
  /** Runs until the rate lets the next attempt start. */
  #timer: NodeJS.Timeout | null = null
  readonly #startedAt = new Set<{ at: number }>()
  #queue: T[] = []
  readonly #slowStart: SlowStart
  readonly #slotWait: SlotWait
  #latencyMs = 1
  /** The time since which `shed` has seen too many jobs waiting. */
  #overSince: number | null = null

  /** @param onMayStart its rate, or a slot of its project, lets one start again */
  constructor(id: string, circuit: Circuit, options: EndpointOptions, onMayStart = () => {}) {
    const { limits, pressure, policyOf, slots = unlimited, since = 0 } = options
    this.id = id
    this.circuit = circuit
    this.#limits = limits
    this.#pressure = pressure
    this.#policyOf = () => policyOf?.(id)
    this.#rate = new RateLimit(since)
    this.#onMayStart = onMayStart
    this.#slowStart = new SlowStart(limits.maxInFlight)
    this.#slotWait = new SlotWait(slots, onMayStart)
  }

  get inFlight(): number {
    return this.#startedAt.size
  }

  get queued(): number {
    return this.#queue.length
  }

  /** True if an arriving job may wait here; otherwise it moves to the paused topic. */
  get accepts(): boolean {
    if (this.circuit.isOpen) return false
    const hasRoom = this.#queue.length < this.#allowedQueue()
    return hasRoom || !this.#isPressed || !this.#isOverForLong
  }

  /**
   * How many jobs may come back from the paused topic. Only those that start soon, because the
   * window does not count their bodies.
   */
  get slotsForPaused(): number {
    if (this.circuit.isOpen || this.#slotWait.isWaiting) return 0
    const most = Math.min(this.#allowedQueue(), pausedTurns * this.#cap)
    return Math.max(0, most - this.#queue.length)
  }

  get isIdle(): boolean {
    return this.inFlight === 0 && this.#queue.length === 0 && this.circuit.isQuiet && this.#isRested
  }

  enqueue(job: T): void {
    this.#queue.push(job)
  }

  /**
   * Returns the next job if an attempt may start. The caller starts it and calls `ended`, with
   * `undefined` if no attempt was made.
   */
  next(): { job: T; ended: (succeeded: boolean | undefined) => void } | undefined {
    if (!this.ready || this.circuit.isOpen || this.#queue.length === 0) return undefined
    if (this.inFlight >= this.#cap) return undefined
    const slot = this.#slotWait.take()
    if (slot === null) return undefined
    const perSecond = this.#perSecond
    if (perSecond !== null && !this.#rate.take(perSecond, performance.now())) {
      slot[Symbol.dispose]()
      this.#wakeLater(perSecond)
      return undefined
    }
    const job = this.#queue.shift() as T
    if (this.#queue.length === 0) this.#overSince = null
    const started = { at: performance.now() }
    this.#startedAt.add(started)
    const ended = (succeeded: boolean | undefined) => {
      slot[Symbol.dispose]()
      if (succeeded === undefined && perSecond !== null) this.#rate.giveBack(perSecond)
      this.#ended(started, succeeded)
    }
    return { job, ended }
  }

  /**
   * Removes the jobs that have had no room for a while, the latest arrivals first. Removes all if
   * the circuit is open. Call it several times a second.
   */
  shed(): T[] {
    if (this.circuit.isOpen) return this.#queue.splice(0)
    const allowed = this.#allowedQueue()
    if (this.#queue.length <= allowed) this.#overSince = null
    else this.#overSince ??= performance.now()
    return this.#isOverForLong && this.#isPressed ? this.#queue.splice(allowed) : []
  }

  /**
   * Call it after a cooldown: starts with few attempts, so that a recovering receiver is not
   * overloaded.
   */
  ramp(): void {
    this.#slowStart.begin()
  }

  dispose(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#slotWait.dispose()
    this.circuit.dispose()
  }

  get #perSecond(): number | null {
    return this.#policyOf()?.perSecond ?? null
  }

  get #cap(): number {
    return Math.min(this.#slowStart.cap, this.#policyOf()?.concurrency ?? Number.POSITIVE_INFINITY)
  }

  /** A job may wait for hours for its rate, so it must not wait in memory. */
  get #isPressed(): boolean {
    return this.#perSecond !== null || this.#pressure()
  }

  /** True if a new `Endpoint` could start no more attempts than this one, which may be dropped. */
  get #isRested(): boolean {
    const perSecond = this.#perSecond
    return perSecond === null || this.#rate.isFull(perSecond, performance.now())
  }

  #wakeLater(perSecond: number): void {
    if (this.#timer !== null) return
    // Rounded up: a timer that fires early would find no token.
    const waitMs = Math.ceil(this.#rate.waitMs(perSecond, performance.now()))
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.#onMayStart()
    }, waitMs)
    this.#timer.unref()
  }

  get #isOverForLong(): boolean {
    return this.#overSince !== null && performance.now() - this.#overSince >= lastsMs
  }

  #ended(started: { at: number }, succeeded: boolean | undefined): void {
    this.#startedAt.delete(started)
    if (succeeded === undefined) return
    this.#latencyMs += 0.2 * (performance.now() - started.at - this.#latencyMs)
    this.#slowStart.ended(succeeded)
  }

  /**
   * The number of jobs expected to start within `maxLocalWaitMs`. Attempts that are still
   * unanswered count too.
   */
  #allowedQueue(): number {
    const [oldest] = this.#startedAt
    const age = oldest === undefined ? 0 : performance.now() - oldest.at
    const { isWaiting, waitedMs } = this.#slotWait
    const expectedMs = Math.max(this.#latencyMs, age, waitedMs, 0.1)
    const waitMs = this.#limits.maxLocalWaitMs()
    // If its project has taken all slots, it goes on with those that it has.
    const least = isWaiting ? this.inFlight : this.#cap
    const answered = Math.max(least, Math.floor((Math.max(1, least) * waitMs) / expectedMs))
    const perSecond = this.#perSecond
    if (perSecond === null) return answered
    return Math.min(answered, Math.max(1, Math.floor((perSecond * waitMs) / 1_000)))
  }
}
