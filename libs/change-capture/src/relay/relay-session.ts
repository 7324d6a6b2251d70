import { setTimeout as sleep } from 'node:timers/promises'
import {
  formatWalPosition,
  statesPositionHeader,
  type WalOrigin,
  walPositionHeader,
} from '@surehook/contracts/wal-position'
import type { OutgoingRecord } from '@surehook/kafka/producer/producer'
import { UnsendableError } from '@surehook/kafka/producer/unsendable-error'
import { boundedBy } from '@surehook/service-kit/bounded'
import { reasonOf } from '@surehook/service-kit/errors'
import { type CapturedHeader, capturePrefix, parseCaptured } from '../emit/capture.ts'
import type { InvalidCapture } from '../emit/to-invalid.ts'
import type { RelayOptions } from './relay-options.ts'
import { type RelayedRecord, RelayQueue, relayLimits } from './relay-queue.ts'
import { RelaySpans } from './relay-spans.ts'
import { ReplicationStream } from './replication-stream.ts'
import { StatesPosition } from './states-position.ts'

type SessionOptions = RelayOptions & {
  confirmed: bigint
  origin: WalOrigin
  onRelayed: (records: number) => void
}

const sentWithinMs = 3_000
/**
 * Milliseconds between the starts of two batches, by the size of the first. Slow traffic is sent at
 * once. Faster traffic forms larger batches, which save requests here and in every later stage.
 */
const pauseAfter = (records: number): number => (records >= 8 ? 15 : records >= 2 ? 10 : 5)
/** Commits of other services may be confirmed late: no caller waits for them. */
const confirmOthersAfterMs = 100
/**
 * Milliseconds between two confirmations of own messages. Each wakes the server, and a crash
 * repeats unconfirmed messages.
 */
const confirmEveryMs = 40
const fullAfterMs = 10_000
const warnFullEveryMs = 60_000

/** Holds the slot: reads WAL messages and sends Kafka records, until it ends. */
export class RelaySession implements AsyncDisposable {
  /** Rejects when the session is over. */
  readonly ended: Promise<never>
  readonly #options: SessionOptions
  readonly #queue = new RelayQueue(relayLimits)
  readonly #spans: RelaySpans | undefined
  readonly #stream: ReplicationStream
  readonly #states: StatesPosition
  readonly #failed = Promise.withResolvers<never>()
  readonly #drained = Promise.withResolvers<void>()
  #sending: Promise<void> | null = null
  /** Number of records acknowledged since the last confirmation. */
  #relayed = 0
  #settling: NodeJS.Immediate | undefined
  #fullTimer: NodeJS.Timeout | undefined
  #closed = false
  #nextAt = 0
  /** True if the transaction being read contains a message of this service. */
  #isOurs = false
  #confirming: NodeJS.Timeout | undefined
  #confirmedAt = Number.NEGATIVE_INFINITY

  constructor(options: SessionOptions) {
    this.#options = options
    const { service, slot, databaseUrl, publication = 'surehook_capture', confirmed } = options
    this.#spans = options.tracer && new RelaySpans(options.tracer)
    this.#failed.promise.catch(() => undefined)
    this.#states = new StatesPosition(confirmed)
    this.#stream = new ReplicationStream({
      databaseUrl,
      applicationName: `surehook-relay-${service}`,
      slot,
      prefix: capturePrefix(service),
      statesPrefix: options.statesOf && capturePrefix(options.statesOf.service),
      publication,
      confirmed,
      message: (content, commit) => this.#read(content, commit),
      state: () => this.#states.passed(),
      reached: (lsn) => this.#reached(lsn),
    })
    this.ended = Promise.race([this.#stream.ended, this.#failed.promise])
    // A caller that stops early never awaits `ended`. Its rejection must not end the process.
    this.ended.catch(() => undefined)
  }

  /** Rejects when another process holds the slot, or when it cannot be read. */
  start(): Promise<void> {
    return this.#stream.start()
  }

  /** Milliseconds for which the oldest message has waited for its acknowledgement. */
  get oldestWaitMs(): number {
    const { oldest } = this.#queue
    return oldest === undefined ? 0 : performance.now() - oldest.readAt
  }

  /** @param lsn confirmed position of this session's slot, read after the start */
  beganBefore(lsn: bigint): void {
    this.#states.beganBefore(lsn)
  }

  /** @param lsn confirmed position of the slot of the service in `statesOf` */
  statesConfirmed(lsn: bigint): void {
    this.#states.confirmed(lsn)
  }

  /** True if reading is paused until Kafka acknowledges records. */
  get isFull(): boolean {
    return this.#fullTimer !== undefined
  }

  /**
   * Waits for records on their way to Kafka and confirms them. The next holder of the slot reads
   * the rest.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    clearTimeout(this.#confirming)
    clearTimeout(this.#fullTimer)
    this.#stream.pause()
    await this.#sending
    if (this.#queue.held.records === this.#queue.unsent) this.#drained.resolve()
    const sent = boundedBy(sentWithinMs, this.#drained.promise, 'Kafka is away')
    await sent.catch((err) => this.#options.log.debug({ err }, 'capture.relay.close'))
    clearImmediate(this.#settling)
    this.#settle()
    this.#spans?.[Symbol.dispose]()
    await this.#stream[Symbol.asyncDispose]()
  }

  #read(content: string, commit: bigint): void {
    if (this.#closed) return
    this.#isOurs = true
    const record = this.#toRecord(content)
    this.#queue.push({ ...record, headers: { ...record.headers, ...this.#positions(commit) } })
    if (this.#queue.full) this.#pause()
    this.#sending ??= Promise.resolve().then(() => this.#send())
  }

  #positions(commit: bigint): Record<string, string> {
    const { origin } = this.#options
    const { published } = this.#states
    return {
      [walPositionHeader]: formatWalPosition(origin, commit),
      ...(published !== null && { [statesPositionHeader]: formatWalPosition(origin, published) }),
    }
  }

  #reached(lsn: bigint): void {
    if (this.#closed) return
    this.#states.reached(lsn)
    this.#queue.mark(lsn)
    if (this.#isOurs) this.#confirmSoon()
    else this.#confirmWithin(confirmOthersAfterMs)
    this.#isOurs = false
  }

  #confirmWithin(ms: number): void {
    this.#confirming ??= setTimeout(() => this.#confirm(), ms)
  }

  /** Confirms at once if the last confirmation is long enough ago. */
  #confirmSoon(): void {
    const waitMs = this.#confirmedAt + confirmEveryMs - performance.now()
    if (waitMs <= 0) return this.#confirm()
    clearTimeout(this.#confirming)
    this.#confirming = undefined
    this.#confirmWithin(waitMs)
  }

  #confirm(): void {
    clearTimeout(this.#confirming)
    this.#confirming = undefined
    const lsn = this.#queue.confirmable()
    if (lsn === null) return
    this.#confirmedAt = performance.now()
    this.#stream.confirm(lsn)
  }

  #pause(): void {
    this.#stream.pause()
    this.#fullTimer ??= setTimeout(() => this.#warnFull(), fullAfterMs)
  }

  #resume(): void {
    clearTimeout(this.#fullTimer)
    this.#fullTimer = undefined
    this.#stream.resume()
  }

  #warnFull(): void {
    const { log, slot } = this.#options
    const topic = this.#queue.oldest?.record?.topic
    const waitedS = Math.round(this.oldestWaitMs / 1_000)
    log.error({ slot, topic, waitedS, ...this.#queue.held }, 'capture.relay.full')
    this.#fullTimer = setTimeout(() => this.#warnFull(), warnFullEveryMs)
  }

  async #send(): Promise<void> {
    while (this.#queue.unsent > 0 && !this.#closed) {
      const earlyMs = this.#nextAt - performance.now()
      if (earlyMs > 0) await sleep(earlyMs)
      const batch = this.#closed ? [] : this.#queue.take()
      this.#nextAt = performance.now() + pauseAfter(batch.length)
      // Does not wait for a batch: one partition that accepts nothing must not delay the others.
      for (const relayed of batch) void this.#relay(relayed)
    }
    this.#sending = null
  }

  async #relay(relayed: RelayedRecord): Promise<void> {
    const { record } = relayed
    if (record === null) return
    try {
      await this.#deliver(record)
    } catch (err) {
      return this.#failed.reject(err)
    }
    this.#spans?.acknowledged([record])
    this.#queue.acknowledged(relayed)
    this.#relayed += 1
    // Settles once for all records that are acknowledged in this turn of the event loop.
    this.#settling ??= setImmediate(() => this.#settle())
  }

  #settle(): void {
    this.#settling = undefined
    if (this.#closed) this.#confirm()
    else this.#confirmSoon()
    this.#options.onRelayed(this.#relayed)
    this.#relayed = 0
    if (this.#closed && this.#queue.held.records === this.#queue.unsent) this.#drained.resolve()
    if (this.#queue.roomy && !this.#closed) this.#resume()
  }

  async #deliver(record: OutgoingRecord): Promise<void> {
    const { producer } = this.#options
    try {
      await producer.send([record])
    } catch (err) {
      if (!(err instanceof UnsendableError)) throw err
      const { topic, value } = record
      const key = record.key === null ? null : String(record.key)
      await producer.send([this.#refuse({ topic, key, value, reason: err.message })])
    }
  }

  #toRecord(content: string): OutgoingRecord {
    let header: CapturedHeader | null = null
    try {
      const captured = parseCaptured(content)
      header = captured.header
      const record = this.#options.toRecord(captured)
      return this.#spans?.begin(header, record) ?? record
    } catch (err) {
      const { topic = null, key = null } = header ?? {}
      return this.#refuse({ topic, key, value: Buffer.from(content), reason: reasonOf(err) })
    }
  }

  /** Does not log the reason: it may quote a record, a hash or an encrypted secret. */
  #refuse(invalid: InvalidCapture): OutgoingRecord {
    const { toInvalid, log, slot } = this.#options
    const { topic, key, value } = invalid
    log.error({ slot, topic, key, bytes: value?.length ?? 0 }, 'capture.invalid')
    return toInvalid(invalid)
  }
}
