import { isDeepStrictEqual } from 'node:util'
import type { Subscription, WebhookChange } from '@surehook/client'
import type { SubscriptionWish, Wishes } from '../file/wishes.ts'
import { comparePolicy, compareSecret, hiddenValue, policyInput } from './compare-policy.ts'
import { type Fields, knownFields, sameFilter } from './known-fields.ts'
import { eventsText, matchSubscriptions, sameTarget } from './match-subscriptions.ts'
import { emptyPart, type Part } from './part.ts'
import type { Change, PlanOptions, State, Step } from './steps.ts'

export function planSubscriptions(wishes: Wishes, state: State, options: PlanOptions): Part {
  const part = emptyPart()
  if (wishes.subscriptions === undefined) return part
  const fields = knownFields(wishes, state)
  const updateOf = (wish: SubscriptionWish, found: Subscription) =>
    update(wish, found, fields.get(wish.table))
  const { matches, rest } = matchSubscriptions(wishes.subscriptions, state.subscriptions ?? [], {
    isAsWished: (wish, found) => updateOf(wish, found) === null,
    mayTakeKeys: options.prune,
  })
  for (const { wish, found } of matches) {
    const step = found === undefined ? creation(part, wish, rest) : updateOf(wish, found)
    if (step !== null) part.steps.push(step)
  }
  for (const found of rest) {
    const name = labelOf(found)
    const step = {
      kind: 'subscription',
      action: 'delete',
      name,
      id: found.id,
      changes: [],
    } as const
    if (options.prune) part.deletions.push(step)
    else part.left.push(`subscription ${name}`)
  }
  return part
}

/** The key, or what else tells people which one it is. */
export const labelOf = ({
  key,
  name,
  table,
  url,
}: Pick<SubscriptionWish, 'table' | 'url'> & {
  key?: string | null
  name?: string | null
}): string => key ?? name ?? `${table} -> ${url}`

/** `others`: the subscriptions that no entry has matched. */
function creation(
  part: Part,
  wish: SubscriptionWish,
  others: readonly Subscription[],
): Step | null {
  const { secret, active, policy, ...rest } = wish
  const name = labelOf(wish)
  const other = wish.key === null ? others.find((found) => sameTarget(wish, found)) : undefined
  if (other?.key !== undefined) {
    part.refusals.push(
      `subscription ${name}: the subscription has the key ${other.key}: give the entry that key`,
    )
    return null
  }
  if (secret === undefined) {
    part.refusals.push(`subscription ${name}: a new subscription needs a secret`)
    return null
  }
  const input = {
    ...rest,
    ...(active !== undefined && { active }),
    policy: policyInput(policy),
    secret,
  }
  const { headers = null, ...shownPolicy } = input.policy ?? {}
  const shown = {
    ...rest,
    active: input.active,
    policy: Object.keys(shownPolicy).length === 0 ? null : shownPolicy,
    secret: hiddenValue,
  }
  const set = Object.entries(shown).filter(([, value]) => value !== null && value !== undefined)
  const changes: Change[] = [
    ...set.map(([field, after]) => ({ field, before: null, after })),
    ...Object.keys(headers ?? {}).map((header) => ({
      field: `policy.headers.${header}`,
      before: null,
      after: hiddenValue,
    })),
  ]
  return { kind: 'subscription', action: 'create', name, changes, input }
}

function update(
  wish: SubscriptionWish,
  found: Subscription,
  fields: Fields | undefined,
): Step | null {
  const { secret, policy, active, ...plain } = wish
  const wanted = { ...plain, active: active ?? found.active }
  const keys = Object.keys(wanted) as (keyof typeof wanted)[]
  const before = (key: keyof typeof wanted) => found[key] ?? null
  const differs = (key: keyof typeof wanted) => {
    if (key === 'filter') return !sameFilter(wish.filter, found.filter ?? null, fields)
    if (key === 'events') return eventsText(wish.events) !== eventsText(found.events)
    return !isDeepStrictEqual(wanted[key], before(key))
  }
  const changed = keys.filter(differs)
  const ofPolicy = comparePolicy(policy, wish.url, found)
  const ofSecret =
    secret === undefined
      ? null
      : compareSecret('secret', found.fingerprints?.secret, {
          subscriptionId: found.id,
          value: secret,
        })
  const changes: Change[] = [
    ...changed.map((key) => ({ field: key, before: before(key), after: wanted[key] })),
    ...(ofSecret === null ? [] : [ofSecret]),
    ...ofPolicy.changes,
  ]
  if (changes.length === 0) return null
  const input: WebhookChange = {
    ...Object.fromEntries(changed.map((key) => [key, wanted[key]])),
    ...(secret !== undefined && ofSecret !== null && { secret }),
    ...(Object.keys(ofPolicy.input).length > 0 && { policy: ofPolicy.input }),
  }
  const name = labelOf(wish)
  return { kind: 'subscription', action: 'update', name, id: found.id, changes, input }
}
