import { setTimeout as sleep } from 'node:timers/promises'
import type { ReadAheadConsumer, ReadBatch } from '@surehook/service-kit/kafka/read-ahead-consumer'
import type { Logger } from '@surehook/service-kit/log'
import { type BackgroundWork, runBackgroundWork } from '../background-work.ts'
import type { DeliveryProjection, LogItem } from './delivery-projection.ts'
import { HeldItems, type Place } from './held-items.ts'

export type LogWriterDeps = {
  projection: DeliveryProjection
  reader: Pick<ReadAheadConsumer, 'commit' | 'pause' | 'resume'>
  log: Logger
}

/** Of jobs of a partition that wait for their first move. */
const heldBytes = 4 * 1024 * 1024
/** Of deliveries that have moved: reading waits while PostgreSQL does not keep up, or is away. */
const mostTold = 20_000
const pollMs = 20
/** What comes meanwhile is written with it. */
const gatherMs = 100
const retryMs = 500

/**
 * Writes what is read in few large transactions, and commits how far it is: as far as everything is written.
 * What fails is tried again, for ever; what was not committed comes again, and changes nothing.
 */
export class LogWriter implements AsyncDisposable {
  readonly #deps: LogWriterDeps
  readonly #held = new HeldItems({ bytes: heldBytes })
  readonly #work: BackgroundWork
  readonly #closing = new AbortController()
  #writing: LogItem[] = []
  #committed = new Map<string, number>()
  #paused = new Map<string, Place>()
  #epoch = 0
  #startedAt = 0

  constructor(deps: LogWriterDeps) {
    this.#deps = deps
    this.#work = runBackgroundWork({
      work: (signal) => this.#writeNext(signal),
      onFailure: (err) => deps.log.warn({ err }, 'history.write_failed'),
      retryMs,
    })
  }

  async take({ topic, partition, messages, next }: ReadBatch): Promise<void> {
    const epoch = this.#epoch
    const items = await this.#deps.projection.read({ topic, partition, messages })
    while (this.#held.told > mostTold && epoch === this.#epoch) {
      await sleep(pollMs, undefined, { signal: this.#closing.signal })
    }
    if (epoch !== this.#epoch) return
    const read = { topic, partition, offset: next }
    this.#held.add(items, read, performance.now())
    if (this.#held.share(read) >= 1 && !this.#paused.has(keyOf(read))) {
      this.#paused.set(keyOf(read), read)
      this.#deps.reader.pause(read)
    }
    this.#work.wake()
  }

  /** The partitions may belong to somebody else by now, who reads what is not committed again. */
  forget(): void {
    this.#epoch++
    this.#held.clear()
    this.#committed.clear()
    this.#writing = []
    this.#resume()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new DOMException('The log was closed', 'AbortError'))
    await this.#work[Symbol.asyncDispose]()
  }

  async #writeNext(signal: AbortSignal): Promise<number> {
    const early = this.#startedAt + gatherMs - performance.now()
    if (early > 0) await sleep(early, undefined, { signal })
    const epoch = this.#epoch
    // What could not be written, or be committed, is written once more.
    if (this.#writing.length === 0) this.#writing = this.#held.take(performance.now())
    this.#resume()
    this.#startedAt = performance.now()
    await this.#deps.projection.write(this.#writing)
    if (epoch !== this.#epoch) return 0
    this.#writing = []
    await this.#commit()
    return this.#held.waitMs
  }

  #resume(): void {
    for (const [key, place] of this.#paused) {
      if (this.#held.share(place) > 0.5) continue
      this.#paused.delete(key)
      this.#deps.reader.resume(place)
    }
  }

  async #commit(): Promise<void> {
    const epoch = this.#epoch
    const ahead = this.#held
      .positions()
      .filter((position) => position.offset > (this.#committed.get(keyOf(position)) ?? -1))
    if (ahead.length === 0) return
    await this.#deps.reader.commit(ahead)
    if (epoch !== this.#epoch) return
    for (const position of ahead) this.#committed.set(keyOf(position), position.offset)
  }
}

const keyOf = ({ topic, partition }: Place) => `${topic}/${partition}`
