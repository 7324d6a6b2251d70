import type { Subscription } from '@surehook/client'
import type { SubscriptionWish } from '../file/wishes.ts'

export type Match = { wish: SubscriptionWish; found: Subscription | undefined }
export type Matches = { matches: Match[]; rest: Subscription[] }

type Rule = (wish: SubscriptionWish, found: Subscription) => boolean

const sameTarget: Rule = (wish, found) => wish.table === found.table && wish.url === found.url
const sameEvents: Rule = (wish, found) =>
  sameTarget(wish, found) && eventsText(wish.events) === eventsText(found.events)

/** Each rule is applied to all entries before the next one. */
const rules: readonly Rule[] = [
  (wish, found) => wish.name !== null && wish.name === found.name,
  (wish, found) => wish.name === null && found.name === undefined && sameEvents(wish, found),
  (wish, found) => wish.name === null && found.name === undefined && sameTarget(wish, found),
  // The entry gets a name: its subscription keeps its id and its history.
  (wish, found) => found.name === undefined && sameEvents(wish, found),
  (wish, found) => found.name === undefined && sameTarget(wish, found),
  // The entry loses its name. A second subscription would deliver everything twice.
  (wish, found) => wish.name === null && sameTarget(wish, found),
]

/**
 * Finds the subscription of each entry: by its name, otherwise by its table and URL. Equal ones are
 * matched in the order of their creation.
 */
export function matchSubscriptions(
  wishes: readonly SubscriptionWish[],
  existing: readonly Subscription[],
): Matches {
  const matches: Match[] = wishes.map((wish) => ({ wish, found: undefined }))
  let rest = existing.toSorted(byCreation)
  for (const rule of rules) {
    for (const match of matches) {
      if (match.found !== undefined) continue
      match.found = rest.find((found) => rule(match.wish, found))
      rest = rest.filter((found) => found !== match.found)
    }
  }
  return { matches, rest }
}

export const eventsText = (events: readonly string[]): string => events.toSorted().join(',')

export function byCreation(a: Subscription, b: Subscription): number {
  const [left, right] = [`${a.createdAt} ${a.id}`, `${b.createdAt} ${b.id}`]
  return left < right ? -1 : Number(left > right)
}
