import type { ChangeOperation, SubscriptionState } from '@surehook/contracts/events'
import { type Anchor, anchorOf } from '@surehook/contracts/filter/anchor'
import { compileFilter, type RecordPredicate } from '@surehook/contracts/filter/compile-filter'
import type { Filter } from '@surehook/contracts/filter/filter'
import { parseFilter } from '@surehook/contracts/filter/parse-filter'
import { endpointId } from '@surehook/contracts/ids'
import { isBefore } from '@surehook/contracts/wal-position'
import { UndecodableError } from '@surehook/schemas/codec'

const bits: Readonly<Record<ChangeOperation, number>> = { INSERT: 1, UPDATE: 2, DELETE: 4 }

export const operationBit = (operation: ChangeOperation): number => bits[operation]

/** The matcher's data of one active subscription. It is compact, because there may be 100,000. */
export type Subscription = {
  readonly id: string
  readonly url: string
  readonly endpoint: string
  /** Key of project, environment and table. */
  readonly place: string
  /** Bit set of its events: `operationBit` of each. */
  readonly operations: number
  readonly select: ReadonlySet<string> | null
  /** Equal for equal `select` lists. '' without `select`. */
  readonly selectKey: string
  /** Necessary condition of the filter, by which the index finds the subscription. */
  readonly anchor: Anchor | null
  /** JSON of its filter, or `null`. */
  readonly filter: string | null
  /** Equal for equal filters that the index must evaluate. '' if it need not evaluate one. */
  readonly filterKey: string
  /** `null` when every record matches that the index finds for it. */
  readonly matches: RecordPredicate | null
  /** WAL position of its beginning: earlier changes do not match. `null` if unknown. */
  from: string | null
  /** WAL position of its successor's beginning, or `null` while it is the newest version. */
  readonly until: string | null
}

/**
 * True if it was the newest version when the change at `walPosition` was committed.
 *
 * A version begins at a position inside the transaction that writes it, after a row was written and
 * before the commit. A change that was answered before this transaction began has a lower position.
 * A change that begins after the API has answered has a higher one. A change in between is concurrent,
 * and may match either version.
 */
export function isInForce({ from, until }: Subscription, walPosition: string | null): boolean {
  // A change of another service has no position in this order, so the newest version applies.
  if (walPosition === null) return until === null
  if (from !== null && isBefore(walPosition, from) === true) return false
  return until === null || isBefore(walPosition, until) === true
}

/**
 * True if `next` changes nothing that matching depends on, such as one with another delivery
 * policy. `last` then also covers the time of `next`. A separate version would only displace an older
 * one that differs.
 */
export function isContinued(last: Subscription, next: Subscription): boolean {
  // Positions of two clusters have no order, so no version covers both.
  const isOrdered =
    next.from !== null && (last.from === null || isBefore(last.from, next.from) !== null)
  return (
    isOrdered &&
    last.place === next.place &&
    last.operations === next.operations &&
    last.filter === next.filter &&
    last.selectKey === next.selectKey
  )
}

export function placeOf(at: { projectId: string; environment: string; table: string }): string {
  return `${at.projectId}\0${at.environment}\0${at.table}`
}

export const selectKeyOf = (select: readonly string[] | null): string =>
  select === null ? '' : JSON.stringify(select.toSorted())

/** Throws an `UndecodableError` when the filter is not valid: such a state must not be matched. */
export function toSubscription(state: SubscriptionState, from: string | null): Subscription {
  const filter = state.filter === null ? null : readFilter(state.filter)
  const anchor = filter === null ? null : anchorOf(filter)
  const matches = predicateOf(filter, anchor)
  const { select } = state
  return {
    id: state.id,
    url: state.url,
    endpoint: endpointId(state),
    place: placeOf(state),
    operations: state.events.reduce((mask, event) => mask | operationBit(event), 0),
    select: select === null ? null : new Set(select),
    selectKey: selectKeyOf(select),
    anchor,
    filter: state.filter,
    filterKey: anchor === null && matches !== null ? (state.filter ?? '') : '',
    matches,
    from,
    until: null,
  }
}

function readFilter(text: string): Filter {
  const parsed = parseFilter(parseJson(text))
  if (parsed.ok) return parsed.filter
  const faults = parsed.violations.map(({ field, message }) => `${field}: ${message}`)
  throw new UndecodableError(`filter: ${faults.join('; ')}`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (err) {
    throw new UndecodableError('filter: not JSON', { cause: err })
  }
}

function predicateOf(filter: Filter | null, anchor: Anchor | null): RecordPredicate | null {
  // If the filter consists only of its anchor, the index has already evaluated it.
  const isAnswered = filter === null || (anchor !== null && filter.kind === 'field')
  return isAnswered ? null : compileFilter(filter)
}
