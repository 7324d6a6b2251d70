import type { Circuit } from './circuit.ts'
import { RateLimit } from './rate-limit.ts'
import { SlowStart } from './slow-start.ts'

export type EndpointLimits = {
  /** Attempts in flight at once. */
  maxInFlight: number
  /** When memory is short, a job waits locally only while its turn is expected within this time. */
  maxLocalWaitMs: () => number
}

/** What the endpoint's subscriptions allow; null: no more than the installation's. */
export type EndpointPolicy = { concurrency: number | null; perSecond: number | null }

export type EndpointOptions = {
  limits: EndpointLimits
  pressure: Pressure
  /** As of now. Absent: nothing is limited. */
  policyOf?: (endpointId: string) => EndpointPolicy | undefined
  /** When this process got the endpoint, in ms of `performance.now`. */
  since?: number
}

/** Whether jobs that wait here keep the partition from reading on. */
export type Pressure = () => boolean

/** So many times what may be in flight comes back from the paused topic ahead. */
const pausedTurns = 8
/** Attempts that take longer for less than this (a collection, a busy machine) park nothing. */
const lastsMs = 500

/**
 * One endpoint's place in this process: its queue in order of arrival, its cap, and how long it
 * takes to answer. Holds no domain object: `T` is whatever is started.
 */
export class Endpoint<T> {
  readonly id: string
  readonly circuit: Circuit
  /** False until the circuit's state is known: jobs queue meanwhile. */
  ready = false
  readonly #limits: EndpointLimits
  readonly #pressure: Pressure
  readonly #policyOf: () => EndpointPolicy | undefined
  readonly #rate: RateLimit
  readonly #onMayStart: () => void
  /** Until the rate lets the next one start. */
  #timer: NodeJS.Timeout | null = null
  readonly #startedAt = new Set<{ at: number }>()
  #queue: T[] = []
  readonly #slowStart: SlowStart
  #latencyMs = 1
  /** Since when more waits here than may, as `shed` has seen. */
  #overSince: number | null = null

  /** @param onMayStart its rate lets one start again */
  constructor(id: string, circuit: Circuit, options: EndpointOptions, onMayStart = () => {}) {
    const { limits, pressure, policyOf, since = 0 } = options
    this.id = id
    this.circuit = circuit
    this.#limits = limits
    this.#pressure = pressure
    this.#policyOf = () => policyOf?.(id)
    this.#rate = new RateLimit(since)
    this.#onMayStart = onMayStart
    this.#slowStart = new SlowStart(limits.maxInFlight)
  }

  get inFlight(): number {
    return this.#startedAt.size
  }

  get queued(): number {
    return this.#queue.length
  }

  /** Whether a job that arrives may wait here; otherwise it waits on the paused topic. */
  get accepts(): boolean {
    if (this.circuit.isOpen) return false
    const hasRoom = this.#queue.length < this.#allowedQueue()
    return hasRoom || !this.#isPressed || !this.#isOverForLong
  }

  /** How many jobs may come back from the paused topic: what starts soon, for their bodies are in no window. */
  get slotsForPaused(): number {
    if (this.circuit.isOpen) return 0
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
   * The next job if there is one and an attempt may start. The caller starts it and calls `ended`,
   * with `undefined` when there was no attempt after all.
   */
  next(): { job: T; ended: (succeeded: boolean | undefined) => void } | undefined {
    if (!this.ready || this.circuit.isOpen || this.#queue.length === 0) return undefined
    if (this.inFlight >= this.#cap) return undefined
    const perSecond = this.#perSecond
    if (perSecond !== null && !this.#rate.take(perSecond, performance.now())) {
      this.#wakeLater(perSecond)
      return undefined
    }
    const job = this.#queue.shift() as T
    if (this.#queue.length === 0) this.#overSince = null
    const started = { at: performance.now() }
    this.#startedAt.add(started)
    const ended = (succeeded: boolean | undefined) => {
      if (succeeded === undefined && perSecond !== null) this.#rate.giveBack(perSecond)
      this.#ended(started, succeeded)
    }
    return { job, ended }
  }

  /**
   * Takes out what has had no room for a while, the latest arrivals first; all of it when the circuit
   * is open. To be called several times a second.
   */
  shed(): T[] {
    if (this.circuit.isOpen) return this.#queue.splice(0)
    const allowed = this.#allowedQueue()
    if (this.#queue.length <= allowed) this.#overSince = null
    else this.#overSince ??= performance.now()
    return this.#isOverForLong && this.#isPressed ? this.#queue.splice(allowed) : []
  }

  /** After a cooldown: a few first, so that a receiver that recovers is not stampeded. */
  ramp(): void {
    this.#slowStart.begin()
  }

  dispose(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.circuit.dispose()
  }

  get #perSecond(): number | null {
    return this.#policyOf()?.perSecond ?? null
  }

  get #cap(): number {
    return Math.min(this.#slowStart.cap, this.#policyOf()?.concurrency ?? Number.POSITIVE_INFINITY)
  }

  /** What waits for its rate may wait for hours: never in memory. */
  get #isPressed(): boolean {
    return this.#perSecond !== null || this.#pressure()
  }

  /** A new one could start no more than this one. */
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

  /** As many as are expected to start within `maxLocalWaitMs`, judged also by who has not answered yet. */
  #allowedQueue(): number {
    const [oldest] = this.#startedAt
    const age = oldest === undefined ? 0 : performance.now() - oldest.at
    const expectedMs = Math.max(this.#latencyMs, age, 0.1)
    const waitMs = this.#limits.maxLocalWaitMs()
    const cap = this.#cap
    const answered = Math.max(cap, Math.floor((cap * waitMs) / expectedMs))
    const perSecond = this.#perSecond
    if (perSecond === null) return answered
    return Math.min(answered, Math.max(1, Math.floor((perSecond * waitMs) / 1_000)))
  }
}
