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

/** What the matcher keeps of an active subscription. There may be 100,000: it is kept small. */
export type Subscription = {
  readonly id: string
  readonly url: string
  readonly endpoint: string
  /** Project, environment and table. */
  readonly place: string
  /** `operationBit`s of its events. */
  readonly operations: number
  readonly select: ReadonlySet<string> | null
  /** Equal for equal selects; '' for none. */
  readonly selectKey: string
  /** The condition without which it does not match, by which the index finds it. */
  readonly anchor: Anchor | null
  /** Equal for equal filters that the index must ask; '' where it need not. */
  readonly filterKey: string
  /** `null` when every record matches that its place in the index lets through. */
  readonly matches: RecordPredicate | null
  /** Where it was committed: changes from before do not match. `null` when that is not known. */
  from: string | null
  /** Where its successor was committed; `null` while it is the newest version. */
  until: string | null
}

/** Whether it was the newest version when the change at `walPosition` was committed. */
export function isInForce({ from, until }: Subscription, walPosition: string | null): boolean {
  // What another service published has no place in our order: it meets what is known now.
  if (walPosition === null) return until === null
  if (from !== null && isBefore(walPosition, from) === true) return false
  return until === null || isBefore(walPosition, until) === true
}

export function placeOf(at: { projectId: string; environment: string; table: string }): string {
  return `${at.projectId}\0${at.environment}\0${at.table}`
}

/** Throws an `UndecodableError` when the filter is none: such a state must not be matched. */
export function toSubscription(state: SubscriptionState, from: string | null): Subscription {
  const filter = state.filter === null ? null : readFilter(state.filter)
  const anchor = filter === null ? null : anchorOf(filter)
  const matches = predicateOf(filter, anchor)
  const select = state.select?.toSorted() ?? null
  return {
    id: state.id,
    url: state.url,
    endpoint: endpointId(state.projectId, state.environment, state.url),
    place: placeOf(state),
    operations: state.events.reduce((mask, event) => mask | operationBit(event), 0),
    select: select === null ? null : new Set(select),
    selectKey: select === null ? '' : JSON.stringify(select),
    anchor,
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
  // A filter that is nothing but its anchor is answered by the index.
  const isAnswered = filter === null || (anchor !== null && filter.kind === 'field')
  return isAnswered ? null : compileFilter(filter)
}
