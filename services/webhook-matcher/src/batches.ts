import { setTimeout as sleep } from 'node:timers/promises'
import type { WindowedMessage } from '@surehook/kafka/windowed/windowed-consumer'
import { backoffMs } from '@surehook/service-kit/backoff'
import { boundedBy } from '@surehook/service-kit/bounded'
import type { Logger } from 'pino'
import { BatchProgress } from './batch-progress.ts'
import type { ChangeBatch } from './change-batch.ts'
import { projectOf, WaitingChanges } from './waiting-changes.ts'

export type BatchesOptions = {
  /** Throwing repeats it, with growing waits and for as long as the partition is ours. */
  handle: (batch: ChangeBatch) => Promise<void>
  log: Logger
}

type Batch = {
  projects: ReadonlySet<string>
  messages: readonly WindowedMessage[]
  isLong: boolean
  /** Kafka takes nothing of it at the moment. */
  isStalled: boolean
}

type Lane = { waiting: WaitingChanges; running: Set<Batch>; isNew: boolean; isHeld: boolean }

const maxBatch = 500
/** Other projects do not wait for one that has so many changes or more. */
const longFrom = 50
const maxAtOnce = 2
/** In all partitions: each has a chunk of deliveries in memory. */
const maxStalled = 32
const backoff = { firstMs: 100, longestMs: 5_000 }
const endWithinMs = 3_000

/**
 * Handles what was read of each partition in batches, those of a project one after the other and in
 * order. Beside a long one those of other projects have one of their own. A batch that waits for some of
 * its projects goes on project by project, and the other projects do not wait for it.
 */
export class Batches {
  readonly #options: BatchesOptions
  readonly #lanes = new Map<number, Lane>()
  readonly #stopping = new AbortController()
  readonly #running = new Set<Promise<void>>()
  #stopped = false
  #stalled = 0

  constructor(options: BatchesOptions) {
    this.#options = options
  }

  /** Batches that have begun and not ended. */
  get inFlight(): number {
    return this.#running.size
  }

  /** Of one partition. */
  inFlightOf(partition: number): number {
    return this.#lanes.get(partition)?.running.size ?? 0
  }

  add(message: WindowedMessage): void {
    const { partition } = message
    const lane = this.#laneOf(partition)
    lane.waiting.add(message)
    // Not now: the rest of what was fetched with it comes in the same turn.
    if (!lane.isNew) queueMicrotask(() => this.#start(lane))
    lane.isNew = true
  }

  /** While true no batch of the partition begins. */
  hold(partition: number, isHeld: boolean): void {
    const lane = this.#laneOf(partition)
    lane.isHeld = isHeld
    this.#start(lane)
  }

  /** The partition is another's. */
  forget(partition: number): void {
    this.#lanes.delete(partition)
  }

  /** Nothing begins any more. Resolves when what has begun has ended, or has had the time for it. */
  async stop(): Promise<void> {
    this.#stopped = true
    const ended = boundedBy(endWithinMs, Promise.all(this.#running), 'A batch takes long')
    await ended.catch((err) => this.#options.log.warn({ err }, 'batch.unfinished'))
    this.#stopping.abort(new DOMException('The matcher stops', 'AbortError'))
  }

  #laneOf(partition: number): Lane {
    const lane = this.#lanes.get(partition) ?? newLane()
    this.#lanes.set(partition, lane)
    return lane
  }

  #start(lane: Lane): void {
    lane.isNew = false
    if (this.#stopped || lane.isHeld || !mayBegin(lane) || this.#stalled >= maxStalled) return
    const busy = new Set([...lane.running].flatMap(({ projects }) => [...projects]))
    const { projects, messages } = lane.waiting.take(maxBatch, busy)
    if (messages.length === 0) return
    this.#begin(lane, projects, messages)
    this.#start(lane)
  }

  #begin(lane: Lane, projects: ReadonlySet<string>, messages: readonly WindowedMessage[]): void {
    const isLong = messages.length >= longFrom
    const batch: Batch = { projects, messages, isLong, isStalled: false }
    lane.running.add(batch)
    const run = this.#run(lane, batch).finally(() => {
      this.#running.delete(run)
      lane.running.delete(batch)
      if (batch.isStalled) this.#stalled--
      for (const each of this.#lanes.values()) this.#start(each)
    })
    this.#running.add(run)
  }

  #stall(lane: Lane, batch: Batch): void {
    if (!batch.isStalled) this.#stalled++
    batch.isStalled = true
    this.#start(lane)
  }

  async #run(lane: Lane, batch: Batch): Promise<void> {
    const { messages } = batch
    const [first] = messages
    if (first === undefined || first.lease.aborted) return
    const { topic, partition, offset, lease } = first
    const signal = AbortSignal.any([lease, this.#stopping.signal])
    for (let tries = 1; ; tries++) {
      try {
        if ((await this.#handle(lane, batch, signal)) === 'divide') return this.#divide(lane, batch)
        for (const message of messages) message.finish()
        return
      } catch (err) {
        if (signal.aborted) return
        this.#options.log.warn({ err, topic, partition, offset, tries }, 'batch.failed')
        const waitMs = backoffMs(tries, backoff)
        await sleep(waitMs, undefined, { signal }).catch(() => undefined)
      }
    }
  }

  /** @returns `divide` when some of its projects wait for Kafka and others do not */
  async #handle(lane: Lane, batch: Batch, lease: AbortSignal): Promise<'done' | 'divide'> {
    const divided = Promise.withResolvers<'divide'>()
    const dividing = new AbortController()
    using progress = new BatchProgress(() => {
      this.#stall(lane, batch)
      if (batch.projects.size === 1 || !progress.isPartial) return
      dividing.abort(new DOMException('Its projects go on one by one', 'AbortError'))
      divided.resolve('divide')
    })
    const { topic = '', partition = 0 } = batch.messages[0] ?? {}
    const messages = batch.messages.map(asKafkaMessage)
    const signal = AbortSignal.any([lease, dividing.signal])
    const handled = this.#options.handle({ topic, partition, messages, signal, progress })
    return await Promise.race([handled.then(() => 'done' as const), divided.promise])
  }

  /** What was sent already is sent again: whoever reads a step twice drops it. */
  #divide(lane: Lane, { messages }: Batch): void {
    for (const [project, own] of Map.groupBy(messages, projectOf)) {
      this.#begin(lane, new Set([project]), own)
    }
  }
}

const newLane = (): Lane => ({
  waiting: new WaitingChanges(),
  running: new Set(),
  isNew: false,
  isHeld: false,
})

function mayBegin({ running }: Lane): boolean {
  const moving = [...running].filter(({ isStalled }) => !isStalled)
  return moving.length < maxAtOnce && moving.every(({ isLong }) => isLong)
}

const asKafkaMessage = ({ key, value, offset, headers, timestamp }: WindowedMessage) => ({
  key,
  value,
  timestamp,
  offset: String(offset),
  ...(headers && { headers }),
})
