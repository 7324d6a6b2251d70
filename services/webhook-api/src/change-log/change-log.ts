import type { ChangeEvent } from '@surehook/contracts/events'
import { changeKey } from '@surehook/contracts/ids'
import type { KafkaMessage } from '@surehook/kafka/client/surface'
import type { PartitionBounds } from '@surehook/kafka/offsets/log-ends'
import type { LogReader, LogSpan } from '@surehook/kafka/readers/log-reader'
import { type Change, readChange } from '@surehook/matching/read-change'
import type { EventCodec } from '@surehook/schemas/codec'
import type { Tenant } from '../tenants/tenant.ts'
import type { OwnBounds } from './own-changes.ts'

/** The limits of one search; the first one reached ends it. */
export type LookLimits = { records: number; bytes: number; ms: number }

export type ChangeLogDeps = {
  reader: Pick<LogReader, 'partitions' | 'offsetsAt' | 'read'>
  ownBounds: OwnBounds
  codec: Pick<EventCodec, 'change'>
  now: () => number
}

export type NewestSearch = LookLimits & {
  count: number
  /** Only these changes. Default: all. */
  accepts?: (event: ChangeEvent) => boolean
}

export type NewestChanges = {
  changes: Change[]
  /** True if a limit ended the search before it found `count` changes. */
  isCutShort: boolean
}

type ChangeSearch = LookLimits & { eventId: string; madeAt: number }
type LocatedChange = { change: Change; partition: number; offset: number }

/** `unseen`: a limit was reached, or a partition had no leader, before the change was found. */
export type FoundChange = Change | 'absent' | 'unseen'

/**
 * A record is sent after its change was made. The margin allows for clocks that differ, and for
 * publishers that set times themselves.
 */
const skewMs = 60_000
/**
 * Records per partition in the first read at the end of the log. Each further read doubles the
 * number.
 */
const firstWindow = 32

/**
 * Searches the log of changes for one tenant. Other tenants' records are skipped without being
 * decoded.
 */
export class ChangeLog {
  readonly #deps: ChangeLogDeps

  constructor(deps: ChangeLogDeps) {
    this.#deps = deps
  }

  /**
   * Returns the newest changes, newest first: `count`, or fewer if a limit is reached. A change that
   * the log has twice comes once.
   */
  async newest(
    place: Tenant & { table?: string | undefined },
    { count, accepts = () => true, ...limits }: NewestSearch,
  ): Promise<NewestChanges> {
    const { ownBounds, now } = this.#deps
    const budget = new Budget(limits, now)
    const tops = await ownBounds(place)
    const found = new Map<string, Change>()
    const isSought = ({ event }: Change) =>
      (place.table === undefined || event.table === place.table) && accepts(event)
    let isEnough = false
    for (let window = firstWindow; !isEnough && !budget.spent; window *= 2) {
      if (tops.every(({ start, end }) => end <= start)) break
      /** The unread part of a partition may have changes up to this time. */
      let readSince = Number.NEGATIVE_INFINITY
      for (const top of tops) {
        const { changes, oldest } = await this.#readTop(place, { top, window }, budget)
        for (const change of changes.filter(isSought)) found.set(change.event.id, change)
        if (top.end > top.start) readSince = Math.max(readSince, oldest)
      }
      const known = [...found.values()].filter(({ loggedAt }) => loggedAt >= readSince)
      isEnough = known.length >= count
    }
    const changes = [...found.values()].toSorted(newestFirst).slice(0, count)
    return { changes, isCutShort: changes.length < count && budget.spent }
  }

  /**
   * Reads the tenant's changes among the last `window` records of the unread part, and takes those
   * records from it. `oldest` is when the first of them was logged.
   */
  async #readTop(
    place: Tenant & { table?: string | undefined },
    { top, window }: { top: PartitionBounds; window: number },
    budget: Budget,
  ): Promise<{ changes: Change[]; oldest: number }> {
    const from = Math.max(top.start, top.end - window)
    const isRecord = ownRecord(place, place.table)
    const changes: Change[] = []
    let oldest: number | null = null
    for await (const messages of this.#pieces({ ...top, from, to: top.end }, budget)) {
      oldest ??= messages[0] === undefined ? null : Number(messages[0].timestamp)
      for (const message of messages.filter(isRecord)) {
        const change = await ownChange(this.#deps.codec, message, place)
        if (change !== null) changes.push(change)
      }
    }
    top.end = from
    return { changes, oldest: oldest ?? Number.NEGATIVE_INFINITY }
  }

  /** Finds the change with this id (in lower case), which was made at about `madeAt`. */
  async find(tenant: Tenant, { eventId, madeAt, ...limits }: ChangeSearch): Promise<FoundChange> {
    const budget = new Budget(limits, this.#deps.now)
    const place = await this.#locate(tenant, { eventId, madeAt }, budget)
    return typeof place === 'string' ? place : place.change
  }

  /**
   * Finds the last change of the same record before the change with this id. `null` if the log
   * has the change, and no earlier change of its record.
   */
  async findBefore(
    tenant: Tenant,
    { eventId, madeAt, ...limits }: ChangeSearch,
  ): Promise<FoundChange | null> {
    const { ownBounds, codec, now } = this.#deps
    const budget = new Budget(limits, now)
    const place = await this.#locate(tenant, { eventId, madeAt }, budget)
    if (typeof place === 'string') return place
    const { change, partition } = place
    const bounds = (await ownBounds(tenant)).find((one) => one.partition === partition)
    if (bounds === undefined) return 'unseen'
    const { start } = bounds
    const isLikely = ofRecord(change.event)
    let top = place.offset
    // Changes of one record are on one partition, in commit order.
    for (let window = firstWindow; top > start; window *= 2) {
      const from = Math.max(start, top - window)
      let last: Change | null = null
      for await (const messages of this.#pieces({ partition, from, to: top }, budget)) {
        for (const message of messages.filter(isLikely)) {
          const earlier = await ownChange(codec, message, tenant)
          if (earlier !== null && isBefore(earlier, change)) last = earlier
        }
      }
      // The unread part of the window may hold a later change of the record.
      if (budget.spent) return 'unseen'
      if (last !== null) return last
      top = from
    }
    return null
  }

  async #locate(
    tenant: Tenant,
    { eventId, madeAt }: Pick<ChangeSearch, 'eventId' | 'madeAt'>,
    budget: Budget,
  ): Promise<LocatedChange | 'absent' | 'unseen'> {
    const { reader, codec } = this.#deps
    const spellings = [eventId, eventId.toUpperCase()]
    const isIt = ({ value }: KafkaMessage) => spellings.some((id) => value?.includes(id) ?? false)
    const { spans, isWhole } = await this.#spansFrom(tenant, madeAt - skewMs)
    let open = spans
    // Reads one piece of each partition in turn: the change is most likely in the first pieces.
    for (; open.length > 0; open = open.filter(({ from, to }) => from < to)) {
      for (const span of open) {
        if (budget.spent) return 'unseen'
        const { messages, next } = await reader.read(span)
        budget.spend(messages)
        span.from = next
        for (const message of messages.filter(isIt)) {
          const change = await ownChange(codec, message, tenant)
          if (change?.event.id.toLowerCase() === eventId) {
            return { change, partition: span.partition, offset: Number(message.offset) }
          }
        }
      }
    }
    // It may be on a partition without a leader.
    return isWhole ? 'absent' : 'unseen'
  }

  async *#pieces(span: LogSpan, budget: Budget): AsyncGenerator<KafkaMessage[]> {
    for (let { from } = span; from < span.to && !budget.spent; ) {
      const { messages, next } = await this.#deps.reader.read({ ...span, from })
      budget.spend(messages)
      yield messages
      from = next
    }
  }

  /** `isWhole`: every partition has a leader, so that the spans are of all of them. */
  async #spansFrom(
    tenant: Tenant,
    timestampMs: number,
  ): Promise<{ spans: LogSpan[]; isWhole: boolean }> {
    const { reader, ownBounds } = this.#deps
    const [bounds, partitions, begins] = await Promise.all([
      ownBounds(tenant),
      reader.partitions(),
      reader.offsetsAt(timestampMs),
    ])
    const spans = bounds
      .map(({ partition, start, end }) => ({
        partition,
        from: Math.max(start, begins.get(partition) ?? start),
        to: end,
      }))
      .filter(({ from, to }) => from < to)
    return { spans, isWhole: bounds.length === partitions.length }
  }
}

/** The remaining limits of a search. */
class Budget {
  #records: number
  #bytes: number
  readonly #until: number
  readonly #now: () => number

  constructor({ records, bytes, ms }: LookLimits, now: () => number) {
    this.#records = records
    this.#bytes = bytes
    this.#until = now() + ms
    this.#now = now
  }

  get spent(): boolean {
    return this.#records <= 0 || this.#bytes <= 0 || this.#now() > this.#until
  }

  spend(messages: readonly KafkaMessage[]): void {
    this.#records -= messages.length
    for (const { value } of messages) this.#bytes -= value?.length ?? 0
  }
}

const newestFirst = ({ event: a }: Change, { event: b }: Change) =>
  Date.parse(b.timestamp) - Date.parse(a.timestamp) || (a.id < b.id ? 1 : -1)

/**
 * Returns a test by record key for changes of the tenant (and table), so that most records of
 * others need no decoding. A key in another form may belong to any tenant.
 */
export function ownRecord({ projectId, environment }: Tenant, table?: string) {
  const own = [projectId, environment, ...(table === undefined ? [] : [table])]
  const prefix = Buffer.from(`${own.join('/')}/`)
  return ({ key, value }: Pick<KafkaMessage, 'key' | 'value'>): boolean => {
    if (value === null) return false
    if (key === null) return true
    return key.subarray(0, prefix.length).equals(prefix) || !isOurForm(key)
  }
}

/** Returns a test for messages that may be changes of the event's record. */
function ofRecord(event: ChangeEvent) {
  const own = Buffer.from(changeKey(event))
  return ({ key, value }: KafkaMessage): boolean =>
    value !== null && (key === null || key.equals(own) || !isOurForm(key))
}

/** The log may have a change more than once. */
const isBefore = ({ event: a }: Change, { event: b }: Change) =>
  a.table === b.table && a.recordId === b.recordId && a.id !== b.id

const slash = 47

function isOurForm(key: Buffer): boolean {
  let at = -1
  for (let parts = 0; parts < 3; parts++) {
    at = key.indexOf(slash, at + 1)
    if (at < 0) return false
  }
  return true
}

/** Returns the record's change if it is the tenant's. */
export async function ownChange(
  codec: Pick<EventCodec, 'change'>,
  message: KafkaMessage,
  { projectId, environment }: Tenant,
): Promise<Change | null> {
  const read = await readChange(codec.change, message)
  if (!('change' in read)) return null
  const { event } = read.change
  return event.projectId === projectId && event.environment === environment ? read.change : null
}
