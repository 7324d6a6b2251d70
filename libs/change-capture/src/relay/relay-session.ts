import { setTimeout as sleep } from 'node:timers/promises'
import type { OutgoingRecord } from '@surehook/kafka/producer/producer'
import { UnsendableError } from '@surehook/kafka/producer/unsendable-error'
import { boundedBy } from '@surehook/service-kit/bounded'
import type { RelayOptions } from './relay-options.ts'
import { type RelayedRecord, RelayQueue, relayLimits } from './relay-queue.ts'
import { ReplicationStream } from './replication-stream.ts'
import type { WalDecoder, WalPlace } from './wal-decoder.ts'

type SessionOptions<Content> = Omit<RelayOptions<Content>, 'decoder'> & {
  confirmed: bigint
  decoder: WalDecoder<Content>
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
const defaultConfirmEveryMs = 40
const fullAfterMs = 10_000
const warnFullEveryMs = 60_000

/** Holds the slot: reads WAL messages and sends Kafka records, until it ends. */
export class RelaySession<Content> implements AsyncDisposable {
  /** Rejects when the session is over. */
  readonly ended: Promise<never>
  readonly #options: SessionOptions<Content>
  readonly #decoder: WalDecoder<Content>
  readonly #queue = new RelayQueue(relayLimits)
  readonly #stream: ReplicationStream<Content>
  readonly #failed = Promise.withResolvers<never>()
  readonly #drained = Promise.withResolvers<void>()
  #sending: Promise<void> | null = null
  /** Number of records acknowledged since the last confirmation. */
  #relayed = 0
  #settling: NodeJS.Immediate | undefined
  #fullTimer: NodeJS.Timeout | undefined
  #closed = false
  #nextAt = 0
  /** True if the transaction being read has given records. */
  #hasRecords = false
  #confirming: NodeJS.Timeout | undefined
  #confirmedAt = Number.NEGATIVE_INFINITY
  readonly #confirmEveryMs: number
  /** The confirmation that waits for `beforeConfirm`. */
  #confirmation: Promise<void> = Promise.resolve()

  constructor(options: SessionOptions<Content>) {
    this.#options = options
    const { service, slot, connection, decoder, confirmed } = options
    this.#decoder = decoder
    this.#confirmEveryMs = options.confirmEveryMs ?? defaultConfirmEveryMs
    this.#failed.promise.catch(() => undefined)
    this.#stream = new ReplicationStream({
      connection,
      applicationName: `surehook-relay-${service}`,
      slot,
      plugin: decoder.plugin,
      confirmed,
      content: (content, place) => this.#read(content, place),
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
    await this.#confirmation
    this.#decoder[Symbol.dispose]()
    await this.#stream[Symbol.asyncDispose]()
  }

  #read(content: Content, place: WalPlace): void | Promise<void> {
    if (this.#closed) return
    const records = this.#decoder.records(content, place)
    if (records instanceof Promise) return records.then((later) => this.#push(later))
    this.#push(records)
  }

  #push(records: readonly OutgoingRecord[]): void {
    if (records.length === 0 || this.#closed) return
    this.#hasRecords = true
    for (const record of records) this.#queue.push(record)
    if (this.#queue.full) this.#pause()
    this.#sending ??= Promise.resolve().then(() => this.#send())
  }

  #reached(lsn: bigint): void {
    if (this.#closed) return
    this.#decoder.reached(lsn)
    this.#queue.mark(lsn)
    if (this.#hasRecords) this.#confirmSoon()
    else this.#confirmWithin(Math.max(confirmOthersAfterMs, this.#confirmEveryMs))
    this.#hasRecords = false
  }

  #confirmWithin(ms: number): void {
    this.#confirming ??= setTimeout(() => this.#confirm(), ms)
  }

  /** Confirms at once if the last confirmation is long enough ago. */
  #confirmSoon(): void {
    const waitMs = this.#confirmedAt + this.#confirmEveryMs - performance.now()
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
    const { beforeConfirm } = this.#options
    if (beforeConfirm === undefined) return this.#stream.confirm(lsn)
    this.#confirmation = this.#confirmation
      .then(() => beforeConfirm(lsn))
      .then(
        () => this.#stream.confirm(lsn),
        (err) => this.#failed.reject(err),
      )
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
    this.#decoder.acknowledged(record)
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
      await producer.send([this.#decoder.refused(record, err.message)])
    }
  }
}
