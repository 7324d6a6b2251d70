import type { EventEmitter } from 'node:events'
import { type CircuitIdentity, circuitId } from '@surehook/contracts/circuits'
import type { EndpointPlace } from '@surehook/contracts/ids'
import CircuitBreaker from 'opossum'
import type { AttemptResult } from '../transitions/decide-next-attempt.ts'
import { succeeded } from '../transitions/decide-next-attempt.ts'
import type { CircuitEvents } from './circuit-events.ts'
import type { CircuitStore } from './circuit-store.ts'

export type CircuitOptions = {
  store: CircuitStore
  /** How many consecutive failures open the circuit. */
  threshold: number
  cooldownMs: number
  /** Absent: no event is published. */
  events?: Pick<CircuitEvents, 'publish'>
}

/** An opening for which an event is published. */
type CircuitOpening = { place: EndpointPlace; openUntil: number }

type Action = () => Promise<AttemptResult>

/**
 * Disables opossum's own reset, which would half-open: the product promises that the circuit closes
 * after the cooldown.
 */
const never = 2 ** 31 - 1
/** opossum stores each attempt's duration until its window moves on. */
const windowAttempts = 1_000

/**
 * Moves opossum's window by attempts: by time, each of thousands of breakers would need a timer.
 */
class WindowByAttempts {
  #left = windowAttempts
  #moveOn: (() => void) | null = null

  on(_event: string, moveOn: () => void): void {
    this.#moveOn = moveOn
  }

  removeListener(): void {
    this.#moveOn = null
  }

  listenerCount(): number {
    return 0
  }

  attempted(): void {
    this.#left -= 1
    if (this.#left > 0) return
    this.#left = windowAttempts
    this.#moveOn?.()
  }
}

/**
 * One circuit of an endpoint. It opens on the n-th consecutive failure and closes after the
 * cooldown. opossum's threshold is a percentage of a window, so this class counts failures itself
 * and drives opossum.
 */
export class Circuit {
  readonly #identity: CircuitIdentity
  readonly #id: string
  readonly #options: CircuitOptions
  /** Made for the first attempt: many circuits never see one. */
  #breaker: CircuitBreaker<[Action], AttemptResult> | null = null
  readonly #window = new WindowByAttempts()
  #isOpen = false
  #failures = 0
  #lastFailureAt = 0
  #openSince = Number.POSITIVE_INFINITY
  /**
   * The endpoint's address. Null if every counted failure is of an event of `_deliveries` or
   * `_endpoints`. No event is then published for the opening: its delivery to the same endpoint
   * could open the circuit again, for ever.
   */
  #place: EndpointPlace | null = null
  #opening: CircuitOpening | null = null
  /** The last failed lookup that was counted: attempts that share a lookup count as one failure. */
  #countedLookup: object | undefined
  #timer: NodeJS.Timeout | null = null
  #disposed = false
  readonly #onChange: (open: boolean) => void
  readonly #isOwned: () => boolean

  /** @param isOwned false: another partition has the endpoint, and stores and publishes its state */
  constructor(
    identity: CircuitIdentity,
    options: CircuitOptions,
    onChange: (open: boolean) => void,
    isOwned: () => boolean = () => true,
  ) {
    this.#identity = identity
    this.#id = circuitId(identity)
    this.#options = options
    this.#onChange = onChange
    this.#isOwned = isOwned
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Consecutive failures so far. */
  get failures(): number {
    return this.#isLongPast ? 0 : this.#failures
  }

  /** When it opened, epoch ms; Infinity if it is closed. */
  get openSince(): number {
    return this.#openSince
  }

  get isQuiet(): boolean {
    return !this.isOpen && (this.#failures === 0 || this.#isLongPast)
  }

  /**
   * Loads the state that an earlier owner of the endpoint stored.
   * @param wasUsedAt false for a time (epoch ms) before the endpoint's webhooks: what opened then
   * belongs to deleted ones, perhaps of an earlier environment with the same names
   */
  async restore(wasUsedAt: (at: number) => boolean = () => true): Promise<void> {
    const { failures, openUntil, openSince, place, publishedUntil } =
      await this.#options.store.load(this.#id)
    if (this.#disposed) return
    const { cooldownMs } = this.#options
    if (openUntil > 0 && !wasUsedAt(openSince)) return this.#forget(null)
    const opening = place !== null && openUntil > 0 ? { place, openUntil } : null
    if (opening !== null && publishedUntil !== openUntil) this.#publishOpened(opening)
    // At most the cooldown, because the earlier owner's clock may have been ahead.
    const now = Date.now()
    const until = Math.min(openUntil, now + cooldownMs)
    // At most now, for the same reason.
    const since = Math.min(openSince, now)
    if (openUntil > now) this.#open({ since, until }, opening)
    // The earlier owner was gone when the cooldown ended, so the count starts at 0.
    else if (openUntil > 0) await this.#forget(opening)
    else {
      this.#failures = failures
      this.#place = place
      this.#lastFailureAt = performance.now()
    }
  }

  /** Continues a count of failures. */
  countFrom(failures: number): void {
    this.#failures = failures
    this.#lastFailureAt = performance.now()
  }

  /** Makes the attempt. Throws opossum's EOPENBREAKER if the circuit is open. */
  async fire(action: Action): Promise<AttemptResult> {
    this.#window.attempted()
    this.#breaker ??= this.#createBreaker()
    try {
      return await this.#breaker.fire(action)
    } catch (err) {
      if (err instanceof FailedAttempt) return err.result
      throw err
    }
  }

  /**
   * Counts a result. It takes effect at once, and is stored before this resolves.
   * @param place of the endpoint; null for a delivery about deliveries
   */
  async record(result: AttemptResult, place: EndpointPlace | null = null): Promise<void> {
    const { store } = this.#options
    // The endpoint may have a new owner, whose count must stay.
    if (this.isOpen || this.#disposed || !this.#isOwned()) return
    if (succeeded(result)) {
      this.#place = null
      if (this.#failures === 0) return
      this.#failures = 0
      return store.reset(this.#id)
    }
    if (this.#isLongPast) this.#place = null
    this.#place = place ?? this.#place
    if (this.#isCounted(result)) return
    await this.#count()
  }

  async #count(): Promise<void> {
    const { store, threshold, cooldownMs } = this.#options
    this.#failures = this.#isLongPast ? 1 : this.#failures + 1
    this.#lastFailureAt = performance.now()
    const openSince = Date.now()
    const openUntil = openSince + cooldownMs
    const place = this.#place
    const opening = this.#failures >= threshold && place !== null ? { place, openUntil } : null
    if (this.#failures >= threshold) this.#open({ since: openSince, until: openUntil }, opening)
    // 0 if this failure opened it.
    const failures = this.#failures
    await store.recordFailure(this.#id, { failures, openSince, openUntil, place })
    // If this process is killed now, the next owner finds the opening and publishes its event.
    if (opening !== null) this.#publishOpened(opening)
  }

  /** True if the store has already expired the count. */
  get #isLongPast(): boolean {
    return performance.now() - this.#lastFailureAt >= this.#options.store.forgetAfterMs
  }

  #isCounted(result: AttemptResult): boolean {
    const lookup = result.kind === 'unreachable' ? result.failedLookup : undefined
    if (lookup === undefined) return false
    if (lookup === this.#countedLookup) return true
    this.#countedLookup = lookup
    return false
  }

  /** Closes the circuit before its cooldown ends. */
  closeByRequest(): void {
    if (!this.isOpen) return
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#close()
  }

  /** Stops timers; the state stays in the store for the next owner. */
  dispose(): void {
    this.#disposed = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#breaker?.shutdown()
  }

  #open({ since, until }: { since: number; until: number }, opening: CircuitOpening | null): void {
    this.#failures = 0
    this.#place = null
    this.#opening = opening
    this.#openSince = since
    this.#isOpen = true
    this.#breaker?.open()
    this.#timer = setTimeout(() => this.#close(), Math.max(0, until - Date.now()))
    this.#onChange(true)
  }

  #close(): void {
    const opening = this.#opening
    this.#timer = null
    this.#opening = null
    this.#openSince = Number.POSITIVE_INFINITY
    this.#isOpen = false
    this.#breaker?.close()
    this.#onChange(false)
    void this.#forget(opening)
  }

  #createBreaker(): CircuitBreaker<[Action], AttemptResult> {
    const breaker = new CircuitBreaker(runAction, {
      timeout: false,
      resetTimeout: never,
      volumeThreshold: Number.MAX_SAFE_INTEGER,
      enableSnapshots: false,
      rollingCountBuckets: 1,
      // Otherwise opossum would sort the durations in its window at each failure.
      rollingPercentilesEnabled: false,
      // opossum uses only the emitter methods that this object has.
      rotateBucketController: this.#window as unknown as EventEmitter,
    })
    if (this.#isOpen) breaker.open()
    return breaker
  }

  #publishOpened({ place, openUntil }: CircuitOpening): void {
    const { events, cooldownMs } = this.#options
    if (!this.#isOwned()) return
    const at = openUntil - cooldownMs
    events?.publish({ ...this.#identity, place, isOpen: true, openUntil, at })
  }

  /** The store forgets the opening only after Kafka has the event of its end, if there is one. */
  async #forget(opening: CircuitOpening | null): Promise<void> {
    const { store, events } = this.#options
    if (!this.#isOwned()) return
    if (opening === null || events === undefined) return store.reset(this.#id)
    events.publish({ ...this.#identity, ...opening, isOpen: false, at: Date.now() })
  }
}

/** opossum counts rejections, so a failed attempt becomes one that contains its result. */
class FailedAttempt extends Error {
  readonly result: AttemptResult
  constructor(result: AttemptResult) {
    super('the attempt failed')
    this.result = result
  }
}

async function runAction(action: Action): Promise<AttemptResult> {
  const result = await action()
  if (!succeeded(result)) throw new FailedAttempt(result)
  return result
}
