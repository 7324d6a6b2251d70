import fc from 'fast-check'
import type {
  PolicyWish,
  SubscriptionWish,
  Wishes,
} from '../../src/environment-file/file/wishes.ts'
import { aPolicy, aWish } from './a-wish.ts'

const columns = fc.dictionary(
  fc.constantFrom('a', 'b'),
  fc.record({ type: fc.constant('decimal' as const), default: fc.constantFrom(null, '1.0') }),
)
const rules = [
  { role: '*', where: { a: '$user.id', or: [{ b: 1 }, { b: { in: ['$user.roles'] } }] } },
  { role: 'clerk', columns: ['b', 'a'], set: { b: null } },
]
const access = fc.oneof(
  fc.constantFrom(undefined, null, 'owner' as const),
  fc.record({ read: fc.subarray<string | (typeof rules)[number]>(['clerk', '*', ...rules]) }),
)
const ownTables = fc.dictionary(fc.constantFrom('orders', 'items'), fc.record({ columns, access }))
const ofSource = fc.record(
  {
    source: fc.constant('shop'),
    relation: fc.constantFrom('public.sales', 'public."Sales"'),
    exclude: fc.subarray(['ssn', 'Card number']),
  },
  { requiredKeys: ['source', 'relation'] },
)
const sourceTables = fc.dictionary(fc.constant('sales'), ofSource)
const anyTables = fc.record({ ownTables, sourceTables }).map((of) => ({
  ...of.ownTables,
  ...of.sourceTables,
}))
const policyFields = fc.record<Partial<PolicyWish>>({
  headers: fc.dictionary(
    fc.constantFrom('X-A', 'X-B'),
    fc.constantFrom('long-enough-to-compare-secret-1', 'long-enough-to-compare-secret-2'),
  ),
  retryAfter: fc.boolean(),
  gone: fc.constantFrom(null, 'deactivate'),
  retryDelays: fc.constantFrom(null, ['1s', '60s']),
  concurrency: fc.constantFrom(null, 3),
  rateLimit: fc.constantFrom(null, { perSecond: 2 }),
  ordered: fc.constantFrom(null, 'record'),
})
const subscriptionFields = fc.record<Partial<SubscriptionWish>>({
  key: fc.constantFrom(null, 'x', 'y', 'z'),
  name: fc.constantFrom(null, 'Billing of ACME', 'x'),
  description: fc.constantFrom(null, 'Two\nlines: # "quoted"'),
  table: fc.constantFrom('orders', 'items', 'elsewhere'),
  events: fc.subarray(['INSERT', 'UPDATE'], { minLength: 1 }),
  url: fc.constantFrom('https://a.example', 'https://b.example'),
  secret: fc.constantFrom('long-enough-to-compare-secret-1', 'long-enough-to-compare-secret-2'),
  active: fc.constantFrom(undefined, true, false),
  filter: fc.constantFrom(null, { a: '1.50' }, { b: { gt: 2 } }),
  select: fc.constantFrom(null, ['id', 'a']),
  policy: policyFields.map(aPolicy),
})
const anySubscription = subscriptionFields.map(aWish)
/** A file with its secrets, which end with `secret-1` and `secret-2`. */
export const anyWishes: fc.Arbitrary<Wishes> = fc.record({
  roles: fc.option(fc.constant({ clerk: { selfAssignable: true } }), { nil: undefined }),
  tables: fc.option(anyTables, { nil: undefined }),
  subscriptions: fc.option(
    fc
      .array(anySubscription, { maxLength: 5 })
      .map((all) =>
        all.filter(({ key }, at) => key === null || all.findIndex((one) => one.key === key) === at),
      ),
    { nil: undefined },
  ),
})
