import type { RowGrant } from '@surehook/access/users/row-grants'
import type { ChangeEvent } from '@surehook/contracts/events'
import { assignedFields } from '@surehook/contracts/http/data/names'
import type { Change } from '@surehook/matching/read-change'
import { leaving } from '../answer/stream-selection.ts'

/** A rule of reading, bound to one user. */
export type ReadGrant = RowGrant & {
  /** The fields on which it depends. */
  tests: ReadonlySet<string>
}

export type Readable = {
  /** The fields of the table's records. */
  fields: ReadonlySet<string>
  /** `null`: the user may read all records and columns. */
  grants: readonly ReadGrant[] | null
  /** Epoch milliseconds. Earlier changes are of an earlier table of this name. */
  createdAt: number
}

/** What a user may see of a change. */
export type SeenChange = {
  /** Its `changedFields` are those that the user sees. */
  event: ChangeEvent
  record: Change['record']
  /** The fields of the record that the user sees. */
  fields: ReadonlySet<string>
  /** True if the record left the rules. The event is then a DELETE with the id only. */
  hasLeft: boolean
}

/** Returns `null` for a change that the user may not see. */
export type RecordView = (change: Change) => SeenChange | null

export function recordView({ fields, grants, createdAt }: Readable): RecordView {
  const everything = { fields, grants: [unlimited] }
  const limited = grants === null ? everything : { fields, grants }
  return (change) => {
    if (Date.parse(change.event.timestamp) < createdAt) return null
    return change.event.operation === 'UPDATE'
      ? seenUpdate(change, limited)
      : seenAs(change, limited.grants.filter(admits(change.record)), limited.fields)
  }
}

type Limited = { fields: ReadonlySet<string>; grants: readonly ReadGrant[] }

const unlimited: ReadGrant = {
  filter: { kind: 'and', of: [] },
  admits: () => true,
  columns: null,
  tests: new Set(),
}

/** The fields that the user sees of any record. */
export function shownFields({ fields, grants }: Pick<Readable, 'fields' | 'grants'>) {
  return columnsOf(grants ?? [unlimited], fields)
}

const admits =
  (record: Change['record']) =>
  (grant: ReadGrant): boolean =>
    grant.admits(record, [])

function columnsOf(grants: readonly ReadGrant[], fields: ReadonlySet<string>): ReadonlySet<string> {
  if (grants.some(({ columns }) => columns === null)) return fields
  const shown = grants.flatMap(({ columns }) => [...(columns ?? [])])
  return new Set([...Object.keys(assignedFields), ...shown].filter((name) => fields.has(name)))
}

function seenAs(
  { event, record }: Change,
  grants: readonly ReadGrant[],
  fields: ReadonlySet<string>,
): SeenChange | null {
  if (grants.length === 0) return null
  const shown = columnsOf(grants, fields)
  const seen = Object.entries(record).filter(([field]) => shown.has(field))
  return { event, record: Object.fromEntries(seen), fields: shown, hasLeft: false }
}

/**
 * A field counts as changed only if the user sees it before and after. Otherwise its name would
 * tell of a value that the user could not see.
 */
function seenUpdate(change: Change, { fields, grants }: Limited): SeenChange | null {
  const { event, record } = change
  const before = grantsBefore(change, grants)
  const seen = seenAs(change, grants.filter(admits(record)), fields)
  if (seen !== null) {
    const known = before.length === 0 ? new Set<string>() : columnsOf(before, fields)
    const changedFields = event.changedFields.filter(
      (field) => seen.fields.has(field) && known.has(field),
    )
    return { ...seen, event: { ...event, changedFields } }
  }
  if (before.length === 0) return null
  const { event: left, select } = leaving(event)
  return { event: left, record: { id: event.recordId }, fields: select, hasLeft: true }
}

/**
 * Returns the grants that admitted the record before the update. A grant counts as not admitting if
 * the event lacks an earlier value that the grant tests, as a published change does: the user then
 * learns nothing of a record that it perhaps never saw.
 */
function grantsBefore({ event, record }: Change, grants: readonly ReadGrant[]) {
  const previous = previousOf(event)
  const before = { ...record, ...previous }
  const isKnown = (field: string) =>
    Object.hasOwn(previous, field) ||
    !(field === 'updatedAt' || event.changedFields.includes(field))
  return grants.filter((grant) => [...grant.tests].every(isKnown) && grant.admits(before, []))
}

/** `readChange` has checked that it is an object. */
const previousOf = ({ previous }: ChangeEvent): Record<string, unknown> =>
  previous === undefined || previous === null ? {} : JSON.parse(previous)
