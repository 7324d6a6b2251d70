import { SurehookError } from '../errors.ts'
import type { EventPayload, StreamChangesData } from '../generated/webhooks/types.gen.ts'
import { Deadline } from '../transport/deadline.ts'
import type { Query } from '../transport/operation.ts'
import { delayOfRepeat, type Failure, mayRepeat } from '../transport/retry.ts'
import { sleep } from '../transport/sleep.ts'
import { failureOf, type Transport } from '../transport/transport.ts'
import { type Block, BlockReader } from './sse.ts'

/** A change, as a webhook gets it. */
export type ChangeEvent<T extends object = Record<string, unknown>> = Omit<
  EventPayload,
  'record' | 'data'
> & {
  /** The record after the change, or before a DELETE. Only the selected fields. */
  record: T
  /** The same as `record`. */
  data: T
}

export type StreamOptions = {
  /** Only changes of this table, or of these tables. Default, and for `[]`: all tables. */
  table?: string | readonly string[]
  /** Only these operations. Default: all. */
  events?: readonly EventPayload['event'][]
  /** Only records that match this filter. */
  filter?: Record<string, unknown>
  /** Only these fields of the record. */
  select?: readonly string[]
  /** The start without a cursor: `now` (default), an instant, or a duration back such as `1h`. */
  from?: string | Date
  /** Begin after this cursor: `stream.cursor`, as you stored it. */
  cursor?: string
  /** Ends the stream. The iteration then rejects with the signal's reason. */
  signal?: AbortSignal
  /** Called for each connection once it is open: no change that commits from now on is missed. */
  onConnect?: () => void
  /** Milliseconds without a byte after which the stream connects again. Default: 45,000. */
  silence?: number
}

/** What a client needs that keeps a list. */
type ListOptions = {
  /** A record that does not match `filter` any more comes as a DELETE with its `id` only. */
  list?: true
  /** Called for each comment. */
  onComment?: (text: string) => void
  /** Called when a connection has ended. */
  onDisconnect?: () => void
}

/** Surehook sends a heartbeat every 15 s. */
const defaultSilenceMs = 45_000

/**
 * Iterates over changes, and connects again with its cursor when a connection ends. It rejects only
 * if another attempt gets the same answer, such as 400, 401, 403 and 404.
 */
export class ChangeStream<T extends object = Record<string, unknown>>
  implements AsyncIterable<ChangeEvent<T>>
{
  readonly #transport: Transport
  readonly #options: StreamOptions & ListOptions
  #cursor: string | undefined

  constructor(transport: Transport, options: StreamOptions & ListOptions) {
    this.#transport = transport
    this.#options = options
    this.#cursor = options.cursor
  }

  /** The place behind the event that you have. Store it after you processed the event. */
  get cursor(): string | undefined {
    return this.#cursor
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ChangeEvent<T>, void, undefined> {
    const { signal, onComment, onDisconnect } = this.#options
    for (let failures = 1; ; failures++) {
      let failure: Failure = {}
      try {
        for await (const { id, data, comment } of this.#connect()) {
          failures = 0
          this.#cursor = id ?? this.#cursor
          if (comment !== undefined) onComment?.(comment)
          if (data !== undefined) yield JSON.parse(data) as ChangeEvent<T>
        }
      } catch (err) {
        if (!mayRepeat(err)) throw err
        failure = err
      }
      onDisconnect?.()
      await sleep(delayOfRepeat(failures, failure), signal)
    }
  }

  async *#connect(): AsyncGenerator<Block, void, undefined> {
    const deadline = new Deadline(this.#options.signal)
    try {
      const response = await this.#transport.open(this.#call(), deadline)
      yield* this.#blocksOf(response, deadline)
    } finally {
      deadline.close()
    }
  }

  async *#blocksOf(response: Response, deadline: Deadline): AsyncGenerator<Block, void, undefined> {
    const { silence = defaultSilenceMs, onConnect } = this.#options
    const reader = eventsOf(response)
    onConnect?.()
    const decoder = new TextDecoder()
    const blocks = new BlockReader()
    for (;;) {
      deadline.start(silence)
      const { done, value } = await reader.read().catch((err) => {
        throw failureOf(err, deadline)
      })
      // While the caller works on an event, Surehook waits.
      deadline.pause()
      if (done) return
      yield* blocks.push(decoder.decode(value, { stream: true }))
    }
  }

  #call() {
    const { table, events, filter, select, from, list } = this.#options
    const cursor = this.#cursor
    const tables = [table ?? []].flat()
    const query: Query<StreamChangesData> = {
      ...(tables.length > 0 && { table: tables.join(',') }),
      ...(events !== undefined && { events: events.join(',') }),
      ...(filter !== undefined && { filter: JSON.stringify(filter) }),
      ...(select !== undefined && { select: select.join(',') }),
      ...(list && { list: 'true' as const }),
      ...(from !== undefined && cursor === undefined && { from: instantOf(from) }),
    }
    return {
      method: 'GET',
      url: '/api/rest/_stream',
      query,
      repeat: 'safe',
      headers: {
        accept: 'text/event-stream',
        ...(cursor !== undefined && { 'last-event-id': cursor }),
      },
    } as const
  }
}

const instantOf = (from: string | Date) => (typeof from === 'string' ? from : from.toISOString())

/** Browsers do not iterate over a body. */
function eventsOf({ headers, status, body }: Response) {
  const type = headers.get('content-type')
  if (type?.startsWith('text/event-stream') && body !== null) return body.getReader()
  const message = `The answer is no stream: does baseUrl name a Surehook?`
  throw new SurehookError(message, { code: 'UNEXPECTED_RESPONSE', status })
}
