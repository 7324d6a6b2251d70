import type { Circuit } from './circuit.ts'
import { SlowStart } from './slow-start.ts'

export type EndpointLimits = {
  /** The most concurrent attempts. */
  maxInFlight: number
  /** While memory is short, a job waits in memory only if its turn is expected within this time. */
  maxLocalWaitMs: () => number
}

export type EndpointOptions = { limits: EndpointLimits; pressure: Pressure }

/** Returns true if waiting jobs keep the partition from being read. */
export type Pressure = () => boolean

/**
 * Jobs come back from the paused topic ahead of their turn, up to this many times the concurrent
 * attempts.
 */
const pausedTurns = 8
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
  readonly #startedAt = new Set<{ at: number }>()
  #queue: T[] = []
  readonly #slowStart: SlowStart
  #latencyMs = 1
  /** The time since which `shed` has seen too many jobs waiting. */
  #overSince: number | null = null

  constructor(id: string, circuit: Circuit, { limits, pressure }: EndpointOptions) {
    this.id = id
    this.circuit = circuit
    this.#limits = limits
    this.#pressure = pressure
    this.#slowStart = new SlowStart(limits.maxInFlight)
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
    return hasRoom || !this.#pressure() || !this.#isOverForLong
  }

  /**
   * How many jobs may come back from the paused topic. Only those that start soon, because the
   * window does not count their bodies.
   */
  get slotsForPaused(): number {
    if (this.circuit.isOpen) return 0
    const most = Math.min(this.#allowedQueue(), pausedTurns * this.#slowStart.cap)
    return Math.max(0, most - this.#queue.length)
  }

  get isIdle(): boolean {
    return this.inFlight === 0 && this.#queue.length === 0 && this.circuit.isQuiet
  }

  enqueue(job: T): void {
    this.#queue.push(job)
  }

  /**
   * Returns the next job if an attempt may start. The caller starts it and calls `ended`, with
   * `undefined` if no attempt was made.
   */
  next(): { job: T; ended: (succeeded: boolean | undefined) => void } | undefined {
    if (!this.ready || this.circuit.isOpen || this.inFlight >= this.#slowStart.cap) return undefined
    const job = this.#queue.shift()
    if (job === undefined) return undefined
    if (this.#queue.length === 0) this.#overSince = null
    const started = { at: performance.now() }
    this.#startedAt.add(started)
    return { job, ended: (succeeded) => this.#ended(started, succeeded) }
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
    return this.#isOverForLong && this.#pressure() ? this.#queue.splice(allowed) : []
  }

  /**
   * Call it after a cooldown: starts with few attempts, so that a recovering receiver is not
   * overloaded.
   */
  ramp(): void {
    this.#slowStart.begin()
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
    const expectedMs = Math.max(this.#latencyMs, age, 0.1)
    const turns = this.#limits.maxLocalWaitMs() / expectedMs
    return Math.max(this.#slowStart.cap, Math.floor(this.#slowStart.cap * turns))
  }
}
