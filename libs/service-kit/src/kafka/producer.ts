import { setTimeout as sleep } from 'node:timers/promises'
import type { Kafka } from 'kafkajs'
import type { Logger } from 'pino'
import { boundedBy, orAborted } from '../bounded.ts'
import { reasonOf, unavailable } from '../errors.ts'
import type { Metrics } from '../metrics.ts'
import { BrokerProbe } from './broker-probe.ts'
import { failureKind, ProducerSession } from './producer-session.ts'
import { type Entry, type OutgoingRecord, SendQueue } from './send-queue.ts'
import { UnsendableError } from './unsendable-error.ts'

export type { OutgoingRecord } from './send-queue.ts'

export type EventProducer = AsyncDisposable & {
  /**
   * Resolves when Kafka has acknowledged every record; their order, and that of earlier calls, is
   * kept. Tries for ever; rejects with `UnsendableError` for a record that Kafka can never take
   * (others of the same call may then have been sent), and with SERVICE_UNAVAILABLE when disposed.
   */
  send(records: readonly OutgoingRecord[]): Promise<void>
  /** False as soon as Kafka is known to be away, within about a second also when idle. */
  readonly healthy: boolean
}

export type ProducerOptions = {
  log: Logger
  metrics?: Metrics | undefined
  /**
   * For records that nobody waits for: while there are many, a request waits so long for more after
   * the one before it, since each costs as much as some twenty records. A few are sent at once.
   */
  gatherMs?: number | undefined
}

const openWithinMs = 3_000
const probeEveryMs = 500
const slowMs = 3_000
const drainWithinMs = 3_000
const longestWaitMs = 1_000
const unknownTopicWithinMs = 30_000
/** After a request of so many records another one is likely to have company. */
const many = 8
/** With so many it is worth its cost. */
const enough = 100

/** Rejects when Kafka is away; once open it outlives any outage. */
export async function openProducer(kafka: Kafka, options: ProducerOptions): Promise<EventProducer> {
  const session = new ProducerSession(kafka)
  try {
    await boundedBy(openWithinMs, session.open(), 'Kafka is away')
  } catch (err) {
    await closeSession(session, options.log)
    throw err
  }
  return new CoalescingProducer(kafka, session, options)
}

class CoalescingProducer implements EventProducer {
  readonly #kafka: Kafka
  readonly #log: Logger
  readonly #queue = new SendQueue()
  readonly #probe: BrokerProbe
  readonly #probing: NodeJS.Timeout
  readonly #stop = new AbortController()
  readonly #meters: ReturnType<typeof meters> | null
  readonly #gatherMs: number
  #session: ProducerSession
  #pumping: Promise<void> | null = null
  #closing = false
  #failing = false
  #looking = false
  #answers = true
  #requestSince: number | null = null
  #ackedAt = performance.now()

  constructor(
    kafka: Kafka,
    session: ProducerSession,
    { log, metrics, gatherMs = 0 }: ProducerOptions,
  ) {
    this.#kafka = kafka
    this.#session = session
    this.#log = log
    this.#meters = metrics === undefined ? null : meters(metrics)
    this.#gatherMs = gatherMs
    this.#probe = new BrokerProbe(kafka, slowMs)
    this.#probing = setInterval(() => void this.#look(), probeEveryMs)
    this.#probing.unref()
  }

  get healthy(): boolean {
    const slow = this.#requestSince !== null && performance.now() - this.#requestSince > slowMs
    return this.#answers && !this.#failing && !slow && !this.#closing
  }

  async send(records: readonly OutgoingRecord[]): Promise<void> {
    if (this.#closing) throw unavailable('The producer is closed')
    if (records.length === 0) return
    const done = this.#queue.add(records)
    // Started after this tick, so that all its callers share the first request.
    this.#pumping ??= Promise.resolve().then(() => this.#pump())
    await done
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing = true
    clearInterval(this.#probing)
    const drained = boundedBy(drainWithinMs, this.#pumping ?? Promise.resolve(), 'Kafka is away')
    await drained.catch((err) => this.#log.warn({ err }, 'producer.undrained'))
    this.#stop.abort(unavailable('The producer is closed'))
    await this.#probe[Symbol.asyncDispose]()
    await closeSession(this.#session, this.#log)
  }

  /** One request at a time: what is sent meanwhile makes up the next. */
  async #pump(): Promise<void> {
    try {
      while (this.#queue.length > 0) {
        const entries = this.#queue.take()
        await this.#deliver(entries)
        if (entries.length >= many) await this.#gather()
      }
    } finally {
      this.#pumping = null
    }
  }

  async #gather(): Promise<void> {
    if (this.#gatherMs === 0 || this.#queue.length >= enough || this.#closing) return
    await sleep(this.#gatherMs)
  }

  async #deliver(entries: readonly Entry[]): Promise<void> {
    const startedAt = performance.now()
    for (let tries = 1; ; tries++) {
      try {
        this.#stop.signal.throwIfAborted()
        await this.#request(entries)
        for (const { call } of entries) call.acknowledged()
        return
      } catch (err) {
        const stopped = this.#stop.signal.aborted
        if (stopped) return refuse(entries, unavailable('The producer is closed', err))
        const kind = this.#kindOf(err, startedAt)
        if (kind !== 'away') await this.#replaceSession()
        if (kind === 'unsendable') return this.#single(entries, err)
        this.#failing = true
        this.#log.warn({ err, tries, kind, records: entries.length }, 'producer.failed')
        await this.#wait(tries)
      }
    }
  }

  /** A topic may be on its way, or not known yet to a broker that starts; not for ever. */
  #kindOf(err: unknown, startedAt: number): 'unsendable' | 'away' | 'broken' {
    const kind = failureKind(err)
    if (kind !== 'unknown-topic') return kind
    return performance.now() - startedAt > unknownTopicWithinMs ? 'unsendable' : 'away'
  }

  async #request(entries: readonly Entry[]): Promise<void> {
    this.#requestSince = performance.now()
    const stopTimer = this.#meters?.seconds.startTimer()
    try {
      await orAborted(this.#session.send(entries), this.#stop.signal)
      this.#ackedAt = performance.now()
      this.#failing = false
      this.#answers = true
      this.#meters?.records.inc(entries.length)
    } finally {
      stopTimer?.()
      this.#requestSince = null
    }
  }

  /** Finds the record that Kafka does not take, by halves and in order, and refuses its call. */
  async #single(entries: readonly Entry[], err: unknown): Promise<void> {
    if (entries.length > 1) {
      const middle = entries.length >> 1
      await this.#deliver(entries.slice(0, middle))
      return this.#deliver(entries.slice(middle))
    }
    const reason = reasonOf(err)
    this.#meters?.refused.inc()
    refuse(entries, new UnsendableError(`${entries[0]?.topic}: ${reason}`, { cause: err }))
  }

  async #replaceSession(): Promise<void> {
    const broken = this.#session
    this.#session = new ProducerSession(this.#kafka)
    this.#meters?.replaced.inc()
    await closeSession(broken, this.#log)
  }

  async #wait(tries: number): Promise<void> {
    const ms = Math.min(50 * 2 ** Math.min(tries, 10), longestWaitMs)
    await sleep(ms, undefined, { signal: this.#stop.signal }).catch(() => undefined)
  }

  async #look(): Promise<void> {
    if (this.#looking || performance.now() - this.#ackedAt < probeEveryMs) return
    this.#looking = true
    const answers = await this.#probe.answers()
    if (answers !== this.#answers) this.#log.warn({ answers }, 'producer.kafka')
    this.#looking = false
    this.#answers = answers
    if (answers && this.#requestSince === null && this.#queue.length === 0) this.#failing = false
  }
}

async function closeSession(session: ProducerSession, log: Logger): Promise<void> {
  const closed = boundedBy(1_000, session.close(), 'The connection did not close')
  await closed.catch((err) => log.debug({ err }, 'producer.close'))
}

function refuse(entries: readonly Entry[], err: Error): void {
  for (const { call } of entries) call.refused(err)
}

function meters(metrics: Metrics) {
  return {
    records: metrics.counter({
      name: 'surehook_kafka_producer_records_total',
      help: 'Records acknowledged',
    }),
    refused: metrics.counter({
      name: 'surehook_kafka_producer_refused_total',
      help: 'Records that Kafka does not take',
    }),
    replaced: metrics.counter({
      name: 'surehook_kafka_producer_replaced_total',
      help: 'Idempotent producers replaced after a failure that a retry does not cure',
    }),
    seconds: metrics.histogram({
      name: 'surehook_kafka_producer_request_duration_seconds',
      help: 'Time from a produce request to its acknowledgement',
      buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5, 30],
    }),
  }
}
