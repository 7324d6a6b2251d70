import type { Circuit } from './circuit.ts'
import { SlowStart } from './slow-start.ts'

export type EndpointLimits = {
  /** Attempts in flight at once. */
  maxInFlight: number
  /** When memory is short, a job waits locally only while its turn is expected within this time. */
  maxLocalWaitMs: () => number
}

export type EndpointOptions = { limits: EndpointLimits; pressure: Pressure }

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
  readonly #startedAt = new Set<{ at: number }>()
  #queue: T[] = []
  readonly #slowStart: SlowStart
  #latencyMs = 1
  /** Since when more waits here than may, as `shed` has seen. */
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

  /** Whether a job that arrives may wait here; otherwise it waits on the paused topic. */
  get accepts(): boolean {
    if (this.circuit.isOpen) return false
    const hasRoom = this.#queue.length < this.#allowedQueue()
    return hasRoom || !this.#pressure() || !this.#isOverForLong
  }

  /** How many jobs may come back from the paused topic: what starts soon, for their bodies are in no window. */
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
   * The next job if there is one and an attempt may start. The caller starts it and calls `ended`,
   * with `undefined` when there was no attempt after all.
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
   * Takes out what has had no room for a while, the latest arrivals first; all of it when the circuit
   * is open. To be called several times a second.
   */
  shed(): T[] {
    if (this.circuit.isOpen) return this.#queue.splice(0)
    const allowed = this.#allowedQueue()
    if (this.#queue.length <= allowed) this.#overSince = null
    else this.#overSince ??= performance.now()
    return this.#isOverForLong && this.#pressure() ? this.#queue.splice(allowed) : []
  }

  /** After a cooldown: a few first, so that a receiver that recovers is not stampeded. */
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

  /** As many as are expected to start within `maxLocalWaitMs`, judged also by who has not answered yet. */
  #allowedQueue(): number {
    const [oldest] = this.#startedAt
    const age = oldest === undefined ? 0 : performance.now() - oldest.at
    const expectedMs = Math.max(this.#latencyMs, age, 0.1)
    const turns = this.#limits.maxLocalWaitMs() / expectedMs
    return Math.max(this.#slowStart.cap, Math.floor(this.#slowStart.cap * turns))
  }
}
