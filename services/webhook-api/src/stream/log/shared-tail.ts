import { changesTopic } from '@surehook/contracts/topics'
import type { Kafka } from '@surehook/kafka/client/surface'
import type { LogEnds } from '@surehook/kafka/offsets/log-ends'
import { LogFetcher } from '@surehook/kafka/readers/log-fetcher'
import { readTopicId } from '@surehook/kafka/topics/topic-id'
import type { EventCodec } from '@surehook/schemas/codec'
import { boundedBy } from '@surehook/service-kit/bounded'
import type { EncryptionKeys } from '@surehook/service-kit/config/config'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import { CursorCodec } from '../cursor/cursor.ts'
import { endPosition } from '../cursor/start-position.ts'
import { Tail } from './tail.ts'

export type SharedTailDeps = {
  kafka: Kafka
  codec: Pick<EventCodec, 'change'>
  ends: Pick<LogEnds, 'partitions' | 'readLed' | 'readAt'>
  encryptionKeys: EncryptionKeys
  log: Logger
}

/**
 * The time for which the unused tail stays open, so that clients that poll pages need not open it
 * each time.
 */
const lingerMs = 60_000

const openWithinMs = 10_000

type OpenTail = {
  readonly tail: Tail
  readonly cursors: CursorCodec
  /** Hexadecimal. */
  readonly topicId: string
}

/** One stream's use of the tail. The cursors are of the topic that the tail reads. */
export type TailLease = Disposable & OpenTail

/** Opens the tail for the first stream, and closes it `lingerMs` after the last one. */
export class SharedTail implements AsyncDisposable {
  readonly #deps: SharedTailDeps
  #opened: Promise<OpenTail> | null = null
  #closed: Promise<unknown> = Promise.resolve()
  #users = 0
  #idle: NodeJS.Timeout | undefined

  constructor(deps: SharedTailDeps) {
    this.#deps = deps
  }

  /** Rejects if Kafka does not answer. */
  async use(): Promise<TailLease> {
    this.#users += 1
    clearTimeout(this.#idle)
    let held = true
    const release = () => {
      if (!held) return
      held = false
      this.#users -= 1
      if (this.#users === 0) this.#idle = setTimeout(() => void this.#close(), lingerMs).unref()
    }
    try {
      const opened = await boundedBy(openWithinMs, this.#current(), 'Kafka shows no log')
      return { ...opened, [Symbol.dispose]: release }
    } catch (err) {
      release()
      throw err
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#idle)
    await this.#close()
  }

  async #current(): Promise<OpenTail> {
    const opening = (this.#opened ??= this.#open())
    try {
      const opened = await opening
      if (!opened.tail.lost.aborted) return opened
      if (this.#opened === opening) await this.#close()
      return await (this.#opened ??= this.#open())
    } catch (err) {
      if (this.#opened === opening) this.#opened = null
      throw err
    }
  }

  async #open(): Promise<OpenTail> {
    const { kafka, ends, encryptionKeys, codec, log } = this.#deps
    const [topicId, end] = await Promise.all([
      readTopicId(kafka, changesTopic),
      endPosition(ends, Date.now()),
    ])
    const fetcher = new LogFetcher({ kafka, topic: changesTopic, log })
    return {
      tail: new Tail({ fetcher, codec, ends, log }, end),
      cursors: new CursorCodec(encryptionKeys, topicId),
      topicId: topicId.toString('hex'),
    }
  }

  /** Resolves when every tail that was open is closed. */
  async #close(): Promise<void> {
    const closing = this.#opened
    this.#opened = null
    const close = async () => {
      const opened = await closing?.catch(() => null)
      await opened?.tail[Symbol.asyncDispose]()
    }
    this.#closed = Promise.all([this.#closed, close()])
    await this.#closed
  }
}
