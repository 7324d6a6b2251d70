import type { Delivery, DeliveryQuery, FoundDelivery } from '@surehook/client'

/** The parts of the API that the tail asks. */
export type TailSource = {
  /** All deliveries that match, newest first. */
  search(query: DeliveryQuery): AsyncIterable<FoundDelivery>
  /** Resolves with the delivery; null: its subscription was deleted. */
  get(delivery: FoundDelivery): Promise<Delivery | null>
}

export type TailOptions = {
  /** Only deliveries of this table; undefined: of all. */
  table?: string | undefined
  /** Also those that ended before the first poll, if they were made since (epoch ms). */
  since?: number | undefined
  /** The history may show a delivery so much later than newer ones. */
  overlapMs?: number
  /** The most open deliveries that are followed: the newest. */
  mostOpen?: number
}

const openStatuses = ['pending', 'retrying', 'paused'] as const
const isOpen = ({ status }: Delivery) => (openStatuses as readonly string[]).includes(status)
const madeAt = ({ createdAt }: Delivery) => Date.parse(createdAt)

/**
 * Finds each delivery that ends, exactly once. The API lists deliveries by the time that they were
 * made, and a delivery may end long after that. So each poll reads two parts:
 *
 * - The window: all deliveries from `overlapMs` before the newest one of the last poll on. It
 *   follows the newest delivery and no clock, so it waits for a history that falls behind.
 * - The open deliveries from before the window. The API lists those that are still open. Each one
 *   that is missing there is asked for by its id.
 *
 * A poll that fails changes nothing: the next one finds what it would have found. If more than
 * `mostOpen` deliveries are open, the oldest are forgotten: see `hasForgotten`.
 */
export class DeliveryTail {
  readonly #source: TailSource
  readonly #table: { table?: string }
  readonly #since: number
  readonly #overlapMs: number
  readonly #mostOpen: number
  #hasForgotten = false
  /** Deliveries that had not ended at the last poll. */
  #open: ReadonlyMap<string, FoundDelivery> = new Map()
  /** Deliveries of the window that have ended, with the time that they were made. */
  #ended: ReadonlyMap<string, number> = new Map()
  /** When the newest delivery was made, at the last poll. */
  #newest: number | null = null

  constructor(source: TailSource, options: TailOptions = {}) {
    const { table, since = Number.POSITIVE_INFINITY, overlapMs = 120_000 } = options
    const { mostOpen = 10_000 } = options
    this.#source = source
    this.#table = table === undefined ? {} : { table }
    this.#since = since
    this.#overlapMs = overlapMs
    this.#mostOpen = mostOpen
  }

  /** True once deliveries were open that are no longer followed. */
  get hasForgotten(): boolean {
    return this.#hasForgotten
  }

  /** Resolves with the deliveries that have ended since the last poll, oldest first. */
  async poll(): Promise<FoundDelivery[]> {
    const isFirst = this.#newest === null
    const newest = await this.#readNewest()
    const start = Math.max(0, (this.#newest ?? newest) - this.#overlapMs)
    const from = isFirst ? Math.min(start, this.#since) : start
    const before = isFirst ? await this.#readOpen({}) : this.#open
    const oldEnded = await this.#readOldEnded(before, from)
    const window = await collect(this.#search({ since: isoOf(from) }))

    // From here on nothing waits, so nothing fails.
    const isWanted = (delivery: FoundDelivery) =>
      !this.#ended.has(delivery.id) &&
      (!isFirst || before.has(delivery.id) || madeAt(delivery) >= this.#since)
    const windowEnded = window.filter((delivery) => !isOpen(delivery))
    const gone = new Set([...oldEnded.keys(), ...windowEnded.map(({ id }) => id)])
    const open = [...before.values(), ...window.filter(isOpen)]
    this.#open = this.#newestOf(byId(open.filter(({ id }) => !gone.has(id))))
    this.#newest = newest
    // No later window contains those that were made earlier.
    const kept = windowEnded.filter((delivery) => madeAt(delivery) >= newest - this.#overlapMs)
    const ended = [...oldEnded.values(), ...windowEnded.filter(isWanted)]
    this.#ended = new Map(kept.map((delivery) => [delivery.id, madeAt(delivery)]))
    return ended
      .filter((delivery) => delivery !== null)
      .toSorted((one, other) => madeAt(one) - madeAt(other))
  }

  /** Resolves with the time of the newest delivery. It never goes back: see `#ended`. */
  async #readNewest(): Promise<number> {
    const known = this.#newest ?? 0
    for await (const delivery of this.#source.search({ limit: 1 })) {
      return Math.max(known, madeAt(delivery))
    }
    return known
  }

  /** Resolves with the deliveries from before the window that have ended, or are gone. */
  async #readOldEnded(
    open: ReadonlyMap<string, FoundDelivery>,
    from: number,
  ): Promise<Map<string, FoundDelivery | null>> {
    const old = [...open.values()].filter((delivery) => madeAt(delivery) < from)
    const ended = new Map<string, FoundDelivery | null>()
    if (old.length === 0) return ended
    const since = isoOf(old.map(madeAt).reduce((one, other) => Math.min(one, other)))
    const stillOpen = await this.#readOpen({ since, until: isoOf(from) })
    for (const delivery of old.filter(({ id }) => !stillOpen.has(id))) {
      // It may have changed from one open status to another between the searches.
      const now = await this.#source.get(delivery)
      if (now === null) ended.set(delivery.id, null)
      else if (!isOpen(now)) ended.set(delivery.id, { ...delivery, ...changing(now) })
    }
    return ended
  }

  async #readOpen(query: DeliveryQuery): Promise<ReadonlyMap<string, FoundDelivery>> {
    const found: FoundDelivery[] = []
    for (const status of openStatuses) {
      // One more than are kept shows that some are forgotten.
      found.push(...(await collect(this.#search({ ...query, status }), this.#mostOpen + 1)))
    }
    return byId(found)
  }

  #newestOf(open: ReadonlyMap<string, FoundDelivery>): ReadonlyMap<string, FoundDelivery> {
    if (open.size <= this.#mostOpen) return open
    this.#hasForgotten = true
    const newest = [...open.values()].toSorted((one, other) => madeAt(other) - madeAt(one))
    return byId(newest.slice(0, this.#mostOpen))
  }

  #search(query: DeliveryQuery): AsyncIterable<FoundDelivery> {
    return this.#source.search({ ...query, ...this.#table })
  }
}

const isoOf = (ms: number) => new Date(ms).toISOString()

const byId = (deliveries: readonly FoundDelivery[]) =>
  new Map(deliveries.map((delivery) => [delivery.id, delivery]))

/** Reads at most `most` items. */
async function collect<Item>(
  items: AsyncIterable<Item>,
  most = Number.POSITIVE_INFINITY,
): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) {
    all.push(item)
    if (all.length >= most) break
  }
  return all
}

/** The fields that change while a delivery goes on. */
const changing = ({ status, httpStatus, attempts, lastError, nextAttemptAt }: Delivery) => ({
  status,
  httpStatus,
  attempts,
  lastError,
  nextAttemptAt,
})
