import type { Subscription } from '@surehook/client'
import type { SubscriptionWish } from '../file/wishes.ts'

export type Match = { wish: SubscriptionWish; found: Subscription | undefined }
export type Matches = { matches: Match[]; rest: Subscription[] }

type Rule = (wish: SubscriptionWish, found: Subscription) => boolean

export const sameTarget: Rule = (wish, found) =>
  wish.table === found.table && wish.url === found.url
const sameEvents: Rule = (wish, found) =>
  sameTarget(wish, found) && eventsText(wish.events) === eventsText(found.events)

/** Each rule is applied to all entries before the next one. */
const rules: readonly Rule[] = [
  (wish, found) => wish.key !== null && wish.key === found.key,
  (wish, found) => wish.key === null && found.key === undefined && sameEvents(wish, found),
  (wish, found) => wish.key === null && found.key === undefined && sameTarget(wish, found),
  // The entry gets a key: its subscription keeps its id and its history.
  (wish, found) => found.key === undefined && sameEvents(wish, found),
  (wish, found) => found.key === undefined && sameTarget(wish, found),
]
/** The subscription loses its key. A second one would deliver everything twice. */
const losesKey: Rule = (wish, found) => wish.key === null && sameTarget(wish, found)

export type MatchOptions = {
  /** True if nothing about the subscription differs from the entry. */
  readonly isAsWished: Rule
  /** A key may be of another file, unless this file is the only one. */
  readonly mayTakeKeys: boolean
}

/**
 * Finds the subscription of each entry: by its key, otherwise by its table and URL. Several to one
 * table and URL are told apart by what they are already, for which `isAsWished` looks at each
 * field.
 */
export function matchSubscriptions(
  wishes: readonly SubscriptionWish[],
  existing: readonly Subscription[],
  { isAsWished, mayTakeKeys }: MatchOptions,
): Matches {
  const matches: Match[] = wishes.map((wish) => ({ wish, found: undefined }))
  let rest = existing.toSorted(byCreation)
  const match = (entries: readonly Match[], rule: Rule) => {
    for (const entry of entries) {
      if (entry.found !== undefined) continue
      entry.found = rest.find((found) => rule(entry.wish, found))
      rest = rest.filter((found) => found !== entry.found)
    }
  }
  // An entry that leaves a field as it is must not take the only fit of one that names the field.
  match(
    matches.toSorted((a, b) => openFields(a.wish) - openFields(b.wish)),
    isAsWished,
  )
  for (const rule of mayTakeKeys ? [...rules, losesKey] : rules) match(matches, rule)
  return { matches, rest }
}

const openFields = ({ active, secret }: SubscriptionWish): number =>
  Number(active === undefined) + Number(secret === undefined)

export const eventsText = (events: readonly string[]): string => events.toSorted().join(',')

export function byCreation(a: Subscription, b: Subscription): number {
  const [left, right] = [`${a.createdAt} ${a.id}`, `${b.createdAt} ${b.id}`]
  return left < right ? -1 : Number(left > right)
}
