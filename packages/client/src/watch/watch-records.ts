import { ValidationError } from '../errors.ts'
import type { RecordQuery, Stored } from '../resources/stored-record.ts'
import { type ChangeEvent, ChangeStream } from '../stream/change-stream.ts'
import { Deadline } from '../transport/deadline.ts'
import type { RequestOptions } from '../transport/operation.ts'
import { delayOfRepeat, mayRepeat } from '../transport/retry.ts'
import { sleep } from '../transport/sleep.ts'
import type { Transport } from '../transport/transport.ts'
import { LatestChange } from './latest-change.ts'
import { inOrder } from './record-order.ts'
import { RecordSet } from './record-set.ts'

export type WatchQuery = Pick<RecordQuery, 'where' | 'order'>

export type WatchOptions = {
  /** Ends the list. The iteration then rejects with the signal's reason. */
  signal?: AbortSignal
}

export type WatchedTable<T extends object> = {
  transport: Transport
  table: string
  records: {
    list(query: RecordQuery, options: RequestOptions): Promise<unknown>
    iterate(query: RecordQuery, options: RequestOptions): AsyncIterable<Stored<T>>
  }
}

/** The longest page of the data API. */
const pageLength = 200

/** Yields the list, and again after each change. */
export async function* watchRecords<T extends object>(
  watched: WatchedTable<T>,
  query: WatchQuery,
  { signal }: WatchOptions,
): AsyncGenerator<readonly Stored<T>[], void, undefined> {
  const ending = new Deadline(signal)
  const list = new WatchedList(watched, query, ending.signal)
  list.start()
  try {
    for (;;) {
      await list.latest.next()
      yield list.snapshot()
    }
  } finally {
    ending.close()
  }
}

type Reading<T extends object> = { set: RecordSet<T>; ending: Deadline }

class WatchedList<T extends object> {
  readonly latest = new LatestChange()
  readonly #watched: WatchedTable<T>
  readonly #query: WatchQuery
  readonly #signal: AbortSignal
  #shown = new RecordSet<T>()
  /** The next list: it gets the changes while its pages are read. */
  #reading: Reading<T> | undefined
  /** What the caller may read, as the stream names it. Undefined: the list must be read. */
  #view: string | undefined

  constructor(watched: WatchedTable<T>, query: WatchQuery, signal: AbortSignal) {
    this.#watched = watched
    this.#query = query
    this.#signal = signal
  }

  start(): void {
    this.#follow().catch((err) => this.latest.failed(err))
  }

  snapshot(): readonly Stored<T>[] {
    return Object.freeze(inOrder(this.#shown.records, this.#query.order))
  }

  /** Never resolves. */
  async #follow(): Promise<never> {
    const { transport, table, records } = this.#watched
    const { where, order } = this.#query
    // The pages are read by `id`, so nothing else would refuse a wrong order.
    if (order !== undefined) {
      await this.#persist(() => records.list({ ...this.#query, limit: 1 }, this.#options))
    }
    for (;;) {
      this.#view = undefined
      const changes = new ChangeStream<Stored<T>>(transport, {
        table,
        ...(where !== undefined && { filter: where }),
        list: true,
        signal: this.#signal,
        onComment: (text) => this.#hear(text),
        onDisconnect: () => this.#disconnected(),
      })
      try {
        for await (const change of changes) this.#apply(change)
      } catch (err) {
        if (!isExpired(err)) throw err
      }
    }
  }

  #hear(comment: string): void {
    if (comment === 'log_lost') this.#view = undefined
    if (!comment.startsWith('view ') || comment === this.#view) return
    this.#view = comment
    this.#reading?.ending.close()
    const reading = { set: new RecordSet<T>(), ending: new Deadline(this.#signal) }
    this.#reading = reading
    this.#read(reading).catch((err) => {
      if (this.#reading === reading) this.latest.failed(err)
    })
  }

  /** No stream tells whether the pages that are still to come are read with the same rules. */
  #disconnected(): void {
    if (this.#reading !== undefined) this.#view = undefined
  }

  /** By `id`, which never changes: otherwise a record could move to a page that was read before. */
  async #read(reading: Reading<T>): Promise<void> {
    const { set, ending } = reading
    const { where } = this.#query
    const query = { ...(where !== undefined && { where }), limit: pageLength }
    await this.#persist(async () => {
      const records = this.#watched.records.iterate(query, { signal: ending.signal })
      for await (const record of records) set.put(record)
    })
    if (this.#reading !== reading) return
    ending.close()
    set.complete()
    this.#reading = undefined
    this.#shown = set
    this.latest.changed()
  }

  #apply({ event, record, timestamp }: ChangeEvent<Stored<T>>): void {
    const set = this.#reading?.set ?? this.#shown
    const isNew = event === 'DELETE' ? set.remove(record.id, timestamp) : set.put(record)
    if (isNew && set === this.#shown) this.latest.changed()
  }

  get #options() {
    return { signal: this.#signal }
  }

  /** Repeats what may succeed later. */
  async #persist(work: () => Promise<unknown>): Promise<void> {
    for (let failures = 1; ; failures++) {
      try {
        await work()
        return
      } catch (err) {
        if (!mayRepeat(err)) throw err
        await sleep(delayOfRepeat(failures, err), this.#signal)
      }
    }
  }
}

const isExpired = (err: unknown) =>
  err instanceof ValidationError && err.violations.some(({ field }) => field === 'Last-Event-ID')
