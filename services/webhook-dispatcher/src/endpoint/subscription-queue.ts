import { RateLimit } from './rate-limit.ts'
import { SlowStart } from './slow-start.ts'

/** The limits that a subscription sets. null: only those of the installation apply. */
export type SubscriptionLimits = { concurrency: number | null; perSecond: number | null }

export type SubscriptionQueueOptions = {
  /** Returns the current limits; undefined for none. */
  limits: () => SubscriptionLimits | undefined
  /** The most concurrent attempts of the endpoint. */
  maxInFlight: number
  /** The time at which this process got the endpoint, in ms of `performance.now`. */
  since: number
  /** The rate lets an attempt start again. */
  onMayStart: () => void
}

/** Too many jobs that wait for less than this (a garbage collection, a busy machine) pause nothing. */
const lastsMs = 500

/**
 * The jobs of one subscription that wait for their turn at an endpoint, in order of arrival, and
 * the limits of its policy.
 */
export class SubscriptionQueue<T> {
  readonly subscriptionId: string
  /** False until the subscription's own circuit is loaded. */
  ready = false
  readonly #options: SubscriptionQueueOptions
  readonly #rate: RateLimit
  readonly #jobs: T[] = []
  #inFlight = 0
  /** After the subscription's own circuit closed. */
  #slowStart: SlowStart | null = null
  /** Runs until the rate lets the next attempt start. */
  #timer: NodeJS.Timeout | null = null
  /** The time since which `sample` has seen too many jobs waiting. */
  #overSince: number | null = null

  constructor(subscriptionId: string, options: SubscriptionQueueOptions) {
    this.subscriptionId = subscriptionId
    this.#options = options
    this.#rate = new RateLimit(options.since)
  }

  get length(): number {
    return this.#jobs.length
  }

  get perSecond(): number | null {
    return this.#options.limits()?.perSecond ?? null
  }

  /** The most concurrent attempts. */
  get cap(): number {
    const { limits, maxInFlight } = this.#options
    return Math.min(limits()?.concurrency ?? maxInFlight, this.#slowStart?.cap ?? maxInFlight)
  }

  /** True if the subscription itself lets its next job start. Otherwise it wakes the endpoint. */
  get mayStart(): boolean {
    if (!this.ready || this.#jobs.length === 0 || this.#inFlight >= this.cap) return false
    const { perSecond } = this
    if (perSecond === null || this.#rate.waitMs(perSecond, performance.now()) <= 0) return true
    this.#wakeLater(perSecond)
    return false
  }

  /** True if it holds nothing that a new one would not have. */
  get isIdle(): boolean {
    const { perSecond } = this
    const isRested = perSecond === null || this.#rate.isFull(perSecond, performance.now())
    return this.#jobs.length === 0 && this.#inFlight === 0 && isRested
  }

  add(job: T): void {
    this.#jobs.push(job)
  }

  /** Removes the next job, whose attempt starts. Call `ended` when it is over. */
  start(): { job: T; ended: (succeeded: boolean | undefined) => void } {
    const { perSecond } = this
    if (perSecond !== null) this.#rate.take(perSecond, performance.now())
    const job = this.#jobs.shift() as T
    if (this.#jobs.length === 0) this.#overSince = null
    this.#inFlight++
    const ended = (succeeded: boolean | undefined) => {
      this.#inFlight--
      if (succeeded !== undefined) this.#slowStart?.ended(succeeded)
      else if (perSecond !== null) this.#rate.giveBack(perSecond)
    }
    return { job, ended }
  }

  /** Removes all jobs above a number, the latest arrivals first. */
  cut(to: number): T[] {
    if (to === 0) this.#overSince = null
    return this.#jobs.splice(to)
  }

  /** Notes whether more jobs wait than may. */
  sample(allowed: number): void {
    if (this.#jobs.length <= allowed) this.#overSince = null
    else this.#overSince ??= performance.now()
  }

  get isOverForLong(): boolean {
    return this.#overSince !== null && performance.now() - this.#overSince >= lastsMs
  }

  /** Starts with one attempt, after the cooldown of the subscription's own circuit. */
  ramp(): void {
    this.#slowStart = new SlowStart(this.#options.maxInFlight)
    this.#slowStart.begin()
  }

  dispose(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  #wakeLater(perSecond: number): void {
    if (this.#timer !== null) return
    // Rounded up: a timer that fires early would find no token.
    const waitMs = Math.ceil(this.#rate.waitMs(perSecond, performance.now()))
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.#options.onMayStart()
    }, waitMs)
    this.#timer.unref()
  }
}
