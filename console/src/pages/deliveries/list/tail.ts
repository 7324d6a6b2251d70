import type { FoundDelivery } from '@surehook/client'

/** Rows per request: enough for 200 deliveries per second. */
export const asked = 250
/** Rows in the list. Older ones are dropped. */
export const kept = 100
/** Each row moves the whole list, so it is drawn a few times a second and not in each frame. */
export const drawEveryMs = 150
/** Rows added per drawing: at most 330 per second. */
const perDrawing = 50

const everyMs = 1_000
const slowestMs = 30_000

/** The pause before the next search. It doubles with each failure in a row. */
export const pauseMs = (failures: number): number => Math.min(everyMs * 2 ** failures, slowestMs)

type Rows = readonly FoundDelivery[]

/** A live list. It follows the newest rows, and stands still while it is read. */
export type Tail = {
  readonly shown: Rows
  /** The newest rows, as the last search found them. */
  readonly latest: Rows
  /** The last search found every row that matches. */
  readonly isWhole: boolean
  /** The rows that came while the list stood still. */
  readonly newer: number
  /** More rows came than the searches saw. */
  readonly isMore: boolean
  readonly isHeld: boolean
}

export const tailOf = (shown: Rows): Tail => ({
  shown: shown.slice(0, kept),
  latest: shown,
  isWhole: false,
  newer: 0,
  isMore: false,
  isHeld: false,
})

type SearchPage = { readonly deliveries: Rows; readonly nextCursor: string | null }

/** Takes a page of the newest rows. Rows that are shown change where they are. */
export function arrived(tail: Tail, { deliveries, nextCursor }: SearchPage): Tail {
  const known = new Map([...tail.latest, ...tail.shown].map((row) => [row.id, row]))
  const latest = deliveries.map((row) => unchanged(known.get(row.id), row))
  const read = new Map(latest.map((row) => [row.id, row]))
  const fresh = latest.filter(({ id }) => !known.has(id)).length
  return {
    ...tail,
    latest,
    isWhole: nextCursor === null,
    shown: tail.shown.map((row) => read.get(row.id) ?? row),
    newer: tail.newer + fresh,
    isMore: tail.isMore || (fresh === asked && tail.shown.length > 0),
  }
}

/** A row that did not change is the same object, so it is not drawn again. */
const unchanged = (before: FoundDelivery | undefined, row: FoundDelivery) =>
  before !== undefined && JSON.stringify(before) === JSON.stringify(row) ? before : row

/** Draws the oldest rows that are missing. Returns the same tail when there is nothing to draw. */
export function drawn(tail: Tail, isBeingRead: boolean): Tail {
  if (isBeingRead) return tail.isHeld ? tail : { ...tail, isHeld: true }
  const missing = missingOf(tail)
  const stays = staysOf(tail)
  if (missing.length === 0 && stays.length === tail.shown.length) return atRest(tail)
  const shown = [...stays, ...missing.slice(-perDrawing)].sort(newestFirst).slice(0, kept)
  return { ...tail, shown, newer: 0, isMore: false, isHeld: false }
}

const atRest = (tail: Tail): Tail =>
  tail.newer === 0 && !tail.isHeld ? tail : { ...tail, newer: 0, isMore: false, isHeld: false }

/** Draws everything at once: the reader asked for it. */
export const caughtUp = ({ latest }: Tail): Tail => tailOf(latest)

/** Rows of the last search that belong into the list. */
function missingOf({ shown, latest }: Tail): Rows {
  const ids = new Set(shown.map(({ id }) => id))
  const last = shown.length < kept ? undefined : shown.at(-1)
  return latest.filter((row) => !ids.has(row.id) && (last === undefined || isNewer(row, last)))
}

/** Rows that still match the filters, or are older than the last search reached. */
function staysOf({ shown, latest, isWhole }: Tail): Rows {
  const ids = new Set(latest.map(({ id }) => id))
  const oldest = latest.at(-1)
  const isOlder = (row: FoundDelivery) => oldest !== undefined && isNewer(oldest, row)
  return shown.filter((row) => ids.has(row.id) || (!isWhole && isOlder(row)))
}

/** As the API orders them. */
function newestFirst(a: RowPosition, b: RowPosition): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? 1 : -1
  return a.id < b.id ? 1 : -1
}

type RowPosition = Pick<FoundDelivery, 'id' | 'createdAt'>

/** How many of the read rows are newer than the first shown row, which may no longer match. */
export const newerThan = (first: RowPosition | undefined, read: Rows): number =>
  read.filter((row) => first === undefined || (row.id !== first.id && isNewer(row, first))).length

const isNewer = (a: RowPosition, b: RowPosition) => newestFirst(a, b) < 0

export type TailState = { isHeld: boolean; isFailing: boolean }

/** What a screen reader hears. It has no numbers, so it changes only with the state. */
export function statusText({ isHeld, isFailing }: TailState): string {
  if (isFailing) return 'Surehook did not answer. The live list tries again.'
  if (isHeld) return 'The live list stands still while you read it.'
  return 'The list is live. New deliveries appear at its top.'
}
