import type { ChangeOperation, SubscriptionState } from '@surehook/contracts/events'
import { endpointId } from '@surehook/contracts/ids'
import { isBefore } from '@surehook/contracts/wal-position'
import { compiledFilter } from './compiled-filter.ts'

const bits: Readonly<Record<ChangeOperation, number>> = { INSERT: 1, UPDATE: 2, DELETE: 4 }

export const operationBit = (operation: ChangeOperation): number => bits[operation]

/** One version of an active subscription, as far as matching needs it. */
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
  /** JSON of its filter, or `null`. */
  readonly filter: string | null
  /** WAL position of its beginning: earlier changes do not match. `null` if unknown. */
  readonly from: string | null
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

/** The project and the environment of a key that `placeOf` made. */
export function tenantOf(place: string): { projectId: string; environment: string } {
  const [projectId = '', environment = ''] = place.split('\0', 2)
  return { projectId, environment }
}

export const selectKeyOf = (select: readonly string[] | null): string =>
  select === null ? '' : JSON.stringify(select.toSorted())

/** Throws an `UndecodableError` when the filter is not valid: such a state must not be matched. */
export function toSubscription(state: SubscriptionState, from: string | null): Subscription {
  if (state.filter !== null) compiledFilter(state.filter)
  const { select } = state
  return {
    id: state.id,
    url: state.url,
    endpoint: endpointId(state),
    place: placeOf(state),
    operations: state.events.reduce((mask, event) => mask | operationBit(event), 0),
    select: select === null ? null : new Set(select),
    selectKey: selectKeyOf(select),
    filter: state.filter,
    from,
    until: null,
  }
}
