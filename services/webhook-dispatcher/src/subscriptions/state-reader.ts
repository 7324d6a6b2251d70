import { setTimeout as wait } from 'node:timers/promises'
import type { SubscriptionState } from '@surehook/contracts/events'
import type { RecordReader } from '@surehook/kafka/readers/record-reader'
import { type TypeCodec, UndecodableError } from '@surehook/schemas/codec'
import type { Logger } from '@surehook/service-kit/telemetry/log'

/** `replaced`: the broker compacted the record, so the topic has a newer one of its key. */
export type ReadState = SubscriptionState | 'unreadable' | 'replaced'

export type StateReaderOptions = {
  reader: Pick<RecordReader, 'readFrom'>
  codec: Pick<TypeCodec<SubscriptionState>, 'decode'>
  log: Pick<Logger, 'warn'>
}

type Waiting = PromiseWithResolvers<ReadState>
type Message = Awaited<ReturnType<RecordReader['readFrom']>>[number]

/** A fetch has at least one whole batch of records. */
const bytesOfOne = 4_096
const bytesOfMany = 1_048_576
const retryMs = 500

/** Reads states of subscriptions by their offsets. Neighbouring states share a fetch. */
export class StateReader implements Disposable {
  readonly #options: StateReaderOptions
  readonly #waiting = new Map<number, Waiting>()
  /** The offset that was not read, so that it does not hold up those behind it. */
  #failed = -1
  #isReading = false
  #isClosed = false

  constructor(options: StateReaderOptions) {
    this.#options = options
  }

  /** Asks again while Kafka or the registry does not answer. */
  read(offset: number): Promise<ReadState> {
    const waiting = this.#waiting.get(offset) ?? Promise.withResolvers<ReadState>()
    this.#waiting.set(offset, waiting)
    if (!this.#isReading) void this.#readAll()
    return waiting.promise
  }

  /** Reads nothing more. Pending reads never settle. */
  [Symbol.dispose](): void {
    this.#isClosed = true
  }

  async #readAll(): Promise<void> {
    this.#isReading = true
    // States that are asked for in the same turn of the event loop share a fetch.
    await Promise.resolve()
    while (this.#waiting.size > 0 && !this.#isClosed) {
      try {
        await this.#readNext()
      } catch (err) {
        if (this.#isClosed) return
        this.#options.log.warn({ err, states: this.#waiting.size }, 'subscription.reading.retry')
        await wait(retryMs)
      }
    }
    this.#isReading = false
  }

  async #readNext(): Promise<void> {
    const offset = this.#nextOffset()
    const bytes = this.#waiting.size === 1 ? bytesOfOne : bytesOfMany
    const messages = await this.#options.reader.readFrom({ partition: 0, offset }, bytes)
    if (messages.length === 0) {
      // A new leader may not know the end of its log yet.
      this.#failed = offset
      throw new Error(`nothing was read from offset ${offset} on`)
    }
    const last = Number(messages.at(-1)?.offset)
    const byOffset = new Map(messages.map((message) => [Number(message.offset), message]))
    for (const [at, waiting] of this.#waiting) {
      if (at < offset || at > last) continue
      const state = await this.#decode(byOffset.get(at))
      this.#waiting.delete(at)
      waiting.resolve(state)
    }
  }

  /** The least offset behind the failed one, or else the least of all. */
  #nextOffset(): number {
    const all = [...this.#waiting.keys()]
    const behind = all.filter((offset) => offset > this.#failed)
    return (behind.length > 0 ? behind : all).reduce((least, one) => Math.min(least, one))
  }

  async #decode(message: Message | undefined): Promise<ReadState> {
    if (message === undefined || message.value === null) return 'replaced'
    try {
      return await this.#options.codec.decode(message.value)
    } catch (err) {
      if (err instanceof UndecodableError) return 'unreadable'
      throw err
    }
  }
}
