import { setTimeout as sleep } from 'node:timers/promises'
import type { ReadAheadConsumer, ReadBatch } from '@surehook/kafka/consumer/read-ahead-consumer'
import { partitionKey } from '@surehook/kafka/topics/partition-key'
import { MemoryBudget } from '@surehook/service-kit/config/memory-budget'
import { halvesOf } from '@surehook/service-kit/halves'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import { type BackgroundWork, runBackgroundWork } from '../../jobs/background-work.ts'
import type { DeliveryProjection } from './delivery-projection.ts'
import { type BufferedItem, bytesOf, type TopicPartition, WriteBuffer } from './write-buffer.ts'
import { chunksOf, mayPassByHalves, refusesRow } from './write-chunks.ts'

export type LogWriterDeps = {
  projection: DeliveryProjection
  reader: Pick<ReadAheadConsumer, 'commit' | 'pause' | 'resume'>
  log: Logger
  /** The milliseconds until a failed write is repeated. */
  retryMs?: number
}

/** The limit for a partition's jobs that wait for their first transition. */
const waitingBytes = 4 * 1024 * 1024
/**
 * The limit for everything that was read and not written. Reading pauses while PostgreSQL is slow
 * or down.
 */
const budgetBytes = 64 * 1024 * 1024
/**
 * The pause between two writes, so that one statement writes more. It is shorter than the shortest
 * wait of a job, so that a job and its first transition are written together.
 */
const gatherMs = 200
const defaultRetryMs = 500
/**
 * How often one message is tried that PostgreSQL refuses by itself: for at least 10 s. Then it goes
 * to the invalid topic, because everything behind it stays uncommitted.
 */
const mostTries = 20
const idleMs = 60_000

/**
 * Writes in few large statements, and commits the offsets up to which everything is written.
 * Failures are retried for ever. Repeated messages change nothing. If PostgreSQL refuses a chunk as
 * a whole, its halves are written separately, and other chunks do not wait for them. A single
 * message that it keeps refusing is moved aside.
 */
export class LogWriter implements AsyncDisposable {
  readonly #deps: LogWriterDeps
  readonly #retryMs: number
  readonly #held = new WriteBuffer({ waitingBytes, budget: new MemoryBudget(budgetBytes) })
  readonly #work: BackgroundWork
  readonly #slowWork: BackgroundWork
  #chunks: BufferedItem[][] = []
  /** Refused chunks, and halves of them. */
  #slow: BufferedItem[][] = []
  /** How often PostgreSQL refused single messages. */
  #refusals = new WeakMap<BufferedItem, number>()
  #committed = new Map<string, number>()
  #paused = new Map<string, TopicPartition>()
  #epoch = 0
  #startedAt = 0

  constructor(deps: LogWriterDeps) {
    this.#deps = deps
    const { retryMs = defaultRetryMs } = deps
    this.#retryMs = retryMs
    const onFailure = (err: unknown) => deps.log.warn({ err }, 'history.write_failed')
    this.#work = runBackgroundWork({
      work: (signal) => this.#writeNext(signal),
      onFailure,
      retryMs,
    })
    this.#slowWork = runBackgroundWork({ work: () => this.#writeSlow(), onFailure, retryMs })
  }

  async take({ topic, partition, messages, next }: ReadBatch): Promise<void> {
    const epoch = this.#epoch
    const items = await this.#deps.projection.read({ topic, partition, messages })
    if (epoch !== this.#epoch) return
    const read = { topic, partition, offset: next }
    this.#held.add(items, read, performance.now())
    if (this.#held.mustPause(read) && !this.#paused.has(partitionKey(read))) {
      this.#paused.set(partitionKey(read), read)
      this.#deps.reader.pause(read)
    }
    this.#work.wake()
  }

  /**
   * Call it when partitions were reassigned: their new owner reads again what was not committed.
   */
  forget(): void {
    this.#epoch++
    this.#held.clear()
    this.#committed.clear()
    this.#chunks = []
    this.#slow = []
    this.#resume()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#work[Symbol.asyncDispose](), this.#slowWork[Symbol.asyncDispose]()])
  }

  async #writeNext(signal: AbortSignal): Promise<number> {
    const early = this.#startedAt + gatherMs - performance.now()
    if (early > 0) await sleep(early, undefined, { signal })
    this.#startedAt = performance.now()
    // Chunks that failed are written again before new ones.
    if (this.#chunks.length === 0) {
      const due = this.#held.take(performance.now())
      this.#chunks = chunksOf(due, ({ item }) => bytesOf(item))
    }
    this.#resume()
    const epoch = this.#epoch
    for (let [chunk] = this.#chunks; chunk !== undefined; [chunk] = this.#chunks) {
      const refusal = await this.#write(chunk)
      if (epoch !== this.#epoch) return 0
      this.#chunks.shift()
      if (refusal !== null) this.#goOnSlowly(chunk)
      if (signal.aborted) return 0
    }
    await this.#commit()
    return this.#held.waitMs
  }

  /** @returns null if the chunk is written; the error if smaller chunks may succeed */
  async #write(chunk: readonly BufferedItem[]): Promise<unknown> {
    const { projection, log } = this.#deps
    try {
      await projection.write(chunk.map(({ item }) => item))
    } catch (err) {
      if (!mayPassByHalves(err)) throw err
      log.warn({ err, items: chunk.length }, 'history.write_slow')
      return err
    }
    this.#written(chunk)
    return null
  }

  #written(chunk: readonly BufferedItem[]): void {
    this.#held.written(chunk)
    this.#resume()
  }

  #goOnSlowly(chunk: BufferedItem[]): void {
    this.#slow.push(chunk)
    this.#slowWork.wake()
  }

  /**
   * Writes the oldest refused chunk. If it is refused again, its halves go to the end of the queue.
   */
  async #writeSlow(): Promise<number> {
    const [chunk] = this.#slow
    if (chunk === undefined) return idleMs
    const epoch = this.#epoch
    const refusal = await this.#write(chunk)
    if (epoch !== this.#epoch) return 0
    const isOver = refusal === null || (await this.#movedAside(chunk, refusal))
    if (epoch !== this.#epoch) return 0
    this.#slow.shift()
    if (!isOver) this.#slow.push(...halvesOf(chunk))
    // The other worker then commits.
    else this.#work.wake()
    return isOver || chunk.length > 1 ? 0 : this.#retryMs
  }

  /** @returns true if the chunk is a message that was refused too often, and is on its topic now */
  async #movedAside(chunk: readonly BufferedItem[], refusal: unknown): Promise<boolean> {
    const [held] = chunk
    if (held === undefined || chunk.length > 1 || !refusesRow(refusal)) return false
    const refusals = (this.#refusals.get(held) ?? 0) + 1
    this.#refusals.set(held, refusals)
    if (refusals < mostTries) return false
    const epoch = this.#epoch
    await this.#deps.projection.refuse(held.item, refusal)
    if (epoch === this.#epoch) this.#written(chunk)
    return true
  }

  #resume(): void {
    for (const [key, place] of this.#paused) {
      if (!this.#held.mayResume(place)) continue
      this.#paused.delete(key)
      this.#deps.reader.resume(place)
    }
  }

  async #commit(): Promise<void> {
    const epoch = this.#epoch
    const ahead = this.#held
      .positions()
      .filter((position) => position.offset > (this.#committed.get(partitionKey(position)) ?? -1))
    if (ahead.length === 0) return
    await this.#deps.reader.commit(ahead)
    if (epoch !== this.#epoch) return
    for (const position of ahead) this.#committed.set(partitionKey(position), position.offset)
  }
}
