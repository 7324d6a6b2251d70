import type { ChangeEvent, EventCounts, ListedEvent } from '@surehook/client'

/** The rows of the list. One request counts the webhooks of all. */
export const shownEvents = 50

export type EventRow = Omit<ListedEvent, 'recordId' | 'changedFields'> & {
  /** A streamed record of your own service need not have its id. */
  recordId: string | null
}

/** The newest events, newest first, each once: the stream repeats events of the list. */
export function newestEvents(
  streamed: readonly ChangeEvent[],
  listed: readonly ListedEvent[],
): EventRow[] {
  const rows = new Map<string, EventRow>()
  for (const row of [...streamed.map(rowOf), ...listed]) rows.set(row.eventId, row)
  return [...rows.values()].toSorted(newestFirst).slice(0, shownEvents)
}

function newestFirst(a: EventRow, b: EventRow): number {
  if (a.timestamp !== b.timestamp) return a.timestamp < b.timestamp ? 1 : -1
  return a.eventId < b.eventId ? 1 : -1
}

function rowOf({ id, table, event, timestamp, record }: ChangeEvent): EventRow {
  const recordId = typeof record['id'] === 'string' ? record['id'] : null
  return { eventId: id, table, event, timestamp: new Date(timestamp).toISOString(), recordId }
}

/** The numbers change while the matcher and the receivers work on an event. */
const youngMs = 60_000

const isYoung = ({ timestamp }: EventRow, nowMs: number) => nowMs - Date.parse(timestamp) < youngMs

const isUnsettled = (row: EventRow, counts: EventCounts | undefined, nowMs: number): boolean =>
  counts === undefined || (isYoung(row, nowMs) && (counts.webhooks === 0 || counts.pending > 0))

export type CountsById = ReadonlyMap<string, EventCounts>

/** Whether the numbers of a row are missing, or about to change. */
export const areUnsettled = (
  rows: readonly EventRow[],
  counted: CountsById,
  nowMs: number,
): boolean => rows.some((row) => isUnsettled(row, counted.get(row.eventId), nowMs))

/** The events to count, the unknown first: an answer may have only the first ones. */
export function askedIds(rows: readonly EventRow[], counted: CountsById, nowMs: number): string[] {
  const rank = (row: EventRow) => {
    const counts = counted.get(row.eventId)
    if (counts === undefined) return 0
    return isUnsettled(row, counts, nowMs) ? 1 : 2
  }
  return rows.toSorted((a, b) => rank(a) - rank(b)).map(({ eventId }) => eventId)
}

/** How long the matcher may take before an event without a delivery has no webhook. */
const matchingMs = 5_000

/** Whether an event without a delivery has no webhook, or waits for the matcher. */
export const isMatched = ({ timestamp }: EventRow, nowMs: number): boolean =>
  nowMs - Date.parse(timestamp) >= matchingMs
