import { describe, expect, it } from '@jest/globals'
import { extendedDelays } from '@surehook/contracts/http/webhooks/policy/policy'
import fc from 'fast-check'
import { aPolicy, aWish } from '../../../test/support/a-wish.ts'
import { anyWishes } from '../../../test/support/any-wishes.ts'
import { ModelEnvironment } from '../../../test/support/model-environment.ts'
import type { FileTable } from '../file/schema.ts'
import type { SubscriptionWish, Wishes } from '../file/wishes.ts'
import { planLines, stepView } from '../show-plan.ts'
import { byCreation } from './match-subscriptions.ts'
import { makePlan } from './plan.ts'

const keep = { prune: false, allowDataLoss: false }
const prune = { prune: true, allowDataLoss: false }

/** Long enough to have a fingerprint. */
const long = 'long-enough-to-be-compared'

const billing = aWish({
  key: 'billing',
  table: 'orders',
  url: 'https://receiver.example/billing',
  secret: 'the-secret-of-billing-1234',
})
const orders: FileTable = { columns: { total: { type: 'decimal' } }, access: { read: ['clerk'] } }
const shop: Wishes = {
  roles: { clerk: { selfAssignable: false } },
  tables: { orders },
  subscriptions: [billing],
}

function environmentOf(...wishes: Wishes[]): ModelEnvironment {
  const environment = new ModelEnvironment()
  for (const each of wishes) environment.run(makePlan(each, environment.state, keep).steps)
  return environment
}
const planFor = (environment: ModelEnvironment, wishes: Wishes, options = keep) =>
  makePlan(wishes, environment.state, options)
const linesOf = (...args: Parameters<typeof planFor>) => planLines(planFor(...args))

describe('a plan', () => {
  it('creates roles, tables and subscriptions in this order, and shows no secret', () => {
    expect(linesOf(new ModelEnvironment(), shop)).toEqual([
      '+ role clerk',
      '+ table orders',
      '    + columns.total: { type: decimal, required: false, unique: false, default: null }',
      '    ~ access.read: [] -> [ clerk ]',
      '+ subscription billing',
      '    + key: billing',
      '    + table: orders',
      '    + events: [ INSERT ]',
      '    + url: https://receiver.example/billing',
      '    + secret: (hidden)',
      '3 to create, 0 to change, 0 to delete.',
    ])
  })

  it('changes only the fields that differ, and keeps the id when the URL changes', () => {
    const environment = environmentOf(shop)
    const changed = {
      ...billing,
      url: 'https://receiver.example/v2',
      secret: 'another-secret-of-billing',
    }
    const { steps } = planFor(environment, { ...shop, subscriptions: [changed] })
    const [found] = environment.state.subscriptions
    expect(steps).toMatchObject([
      {
        action: 'update',
        id: found?.id,
        input: { url: 'https://receiver.example/v2', secret: 'another-secret-of-billing' },
      },
    ])
    expect(JSON.stringify(steps.map(stepView))).not.toMatch(/another-secret|the-secret/)
  })

  it('leaves a paused subscription, and a secret that the file does not name', () => {
    const environment = environmentOf({ subscriptions: [{ ...billing, active: false }] })
    const silent = { ...billing, secret: undefined }
    expect(planFor(environment, { subscriptions: [silent] }).steps).toEqual([])
    expect(
      planFor(environment, { subscriptions: [{ ...billing, active: true }] }).steps,
    ).toMatchObject([{ input: { active: true } }])
  })

  it('gives an existing subscription the key instead of creating a second one', () => {
    const environment = environmentOf({ subscriptions: [billing] })
    environment.removeKey(0)
    const { steps } = planFor(environment, { subscriptions: [{ ...billing, events: ['UPDATE'] }] })
    expect(steps).toMatchObject([
      { action: 'update', input: { key: 'billing', events: ['UPDATE'] } },
    ])
  })

  it('with --prune: takes the key away instead of creating a second one', () => {
    const unkeyed = { subscriptions: [{ ...billing, key: null }] }
    const { steps } = planFor(environmentOf(shop), unkeyed, prune)
    expect(steps).toMatchObject([{ action: 'update', input: { key: null } }])
  })

  it('takes no subscription that has a key for an entry without one', () => {
    const unkeyed = { subscriptions: [{ ...billing, key: null }] }
    expect(planFor(environmentOf(shop), unkeyed)).toEqual({
      steps: [],
      refusals: [
        'subscription orders -> https://receiver.example/billing: the subscription has the key billing: give the entry that key',
      ],
      left: ['subscription billing'],
    })
    const both = { subscriptions: [...unkeyed.subscriptions, billing] }
    expect(planFor(environmentOf(shop), both)).toMatchObject({
      refusals: [],
      steps: [{ action: 'create', input: { key: null } }],
    })
  })

  it('tells subscriptions to one URL apart by what they are', () => {
    const same = { ...billing, key: null, events: ['INSERT' as const] }
    const [one, two] = [
      { ...same, secret: `one-${long}` },
      { ...same, secret: `two-${long}` },
    ]
    const environment = environmentOf({ subscriptions: [one, two] })
    expect(planFor(environment, { subscriptions: [two, one] }).steps).toEqual([])
  })

  it('knows the forms in which the API stores filters and delays', () => {
    const policy = aPolicy({ retryDelays: extendedDelays })
    const filter = { total: { gt: '12.50' }, createdAt: { gt: '2026-01-01' } }
    const environment = environmentOf({ ...shop, subscriptions: [{ ...billing, filter, policy }] })
    const stored = environment.state
    for (const one of stored.subscriptions) {
      one.filter = { createdAt: { gt: '2026-01-01T00:00:00.000Z' }, total: { gt: 12.5 } }
      one.policy = {
        retryDelays: extendedDelays.map((delay) => (delay === '30m' ? '1800s' : delay)),
      }
    }
    const wishes = { ...shop, subscriptions: [{ ...billing, filter, policy }] }
    expect(makePlan(wishes, stored, keep).steps).toEqual([])
  })

  it('names the header that changes, and no value', () => {
    const headers = { Authorization: `Bearer one-${long}`, 'X-A': `two-${long}` }
    const environment = environmentOf({
      subscriptions: [{ ...billing, policy: aPolicy({ headers }) }],
    })
    const policy = aPolicy({
      headers: { Authorization: `Bearer three-${long}`, 'X-B': 'four' },
    })
    const lines = linesOf(environment, { subscriptions: [{ ...billing, policy }] })
    expect(lines.slice(0, 4)).toEqual([
      '~ subscription billing',
      '    ~ policy.headers.Authorization: (hidden)',
      '    - policy.headers.X-A: (hidden)',
      '    + policy.headers.X-B: (hidden)',
    ])
  })
})

describe('what the file lacks', () => {
  const others: Wishes = { roles: {}, tables: {}, subscriptions: [] }

  it('stays, and is named', () => {
    expect(planFor(environmentOf(shop), others)).toMatchObject({
      steps: [],
      left: ['role clerk (no role can be deleted)', 'table orders', 'subscription billing'],
    })
  })

  it('is deleted with --prune, subscriptions before tables', () => {
    const { steps } = planFor(environmentOf(shop), others, prune)
    expect(steps.map(({ action, kind }) => `${action} ${kind}`)).toEqual([
      'delete subscription',
      'delete table',
    ])
  })

  it('stays with --prune if the file lacks the whole section', () => {
    expect(planFor(environmentOf(shop), {}, prune)).toEqual({ steps: [], refusals: [], left: [] })
  })

  it.each([true, undefined])(
    'needs --allow-data-loss for a table with records: %p',
    (hasRecords) => {
      const { tables } = environmentOf(shop).state
      const state = {
        tables: tables.map(({ hasRecords: _, ...table }) => ({
          ...table,
          ...(hasRecords && { hasRecords }),
        })),
      }
      const refused = makePlan({ tables: {} }, state, prune)
      expect(refused.refusals).toEqual([
        'table orders: has records; --allow-data-loss deletes them',
      ])
      const allowed = makePlan({ tables: {} }, state, { prune: true, allowDataLoss: true })
      expect([allowed.refusals, allowed.steps.length]).toEqual([[], 1])
    },
  )

  it('keeps a column, because no column can be deleted', () => {
    const plan = planFor(
      environmentOf(shop),
      { tables: { orders: { ...orders, columns: {} } } },
      prune,
    )
    expect(plan).toMatchObject({
      steps: [],
      left: ['column orders.total (no column can be deleted)'],
    })
  })
})

it('refuses before the first step what the API would refuse', () => {
  const wishes: Wishes = {
    roles: { clerk: { selfAssignable: true } },
    tables: { orders: { columns: { total: { type: 'text', required: true, unique: true } } } },
    subscriptions: [{ ...billing, key: 'new', url: 'https://b.example', secret: undefined }],
  }
  expect(planFor(environmentOf(shop), wishes).refusals).toEqual([
    'role clerk: selfAssignable is false, and no role can be changed',
    'column orders.total: is decimal, and a type cannot change',
    'column orders.total: cannot become required',
    'column orders.total: cannot become unique',
    'subscription new: a new subscription needs a secret',
  ])
})

/**
 * Entries without a key, for which the only subscriptions left have a key that is not in the
 * file. They are impossible without --prune.
 */
function lostKeys(environment: ModelEnvironment, { subscriptions = [] }: Wishes): string[] {
  const existing = environment.state.subscriptions.toSorted(byCreation)
  const isFor = (wish: SubscriptionWish) => (one: { table: string; url: string }) =>
    one.table === wish.table && one.url === wish.url
  const isUnkeyed = ({ key = null }: { key?: string | null }) => key === null
  const isOfFile = ({ key }: { key?: string }) => subscriptions.some((one) => one.key === key)
  return subscriptions.filter(isUnkeyed).flatMap((wish, at, unkeyed) => {
    const { table, url, name } = wish
    const others = existing.filter(isFor(wish))
    const isLeft = unkeyed.slice(0, at).filter(isFor(wish)).length < others.filter(isUnkeyed).length
    const key = others.find((one) => !isUnkeyed(one) && !isOfFile(one))?.key
    if (isLeft || key === undefined) return []
    const what = `the subscription has the key ${key}: give the entry that key`
    return [`subscription ${name ?? `${table} -> ${url}`}: ${what}`]
  })
}

it('from any environment to any file: the steps can be carried out, and nothing differs afterwards', () => {
  const cases = fc.record({
    before: fc.array(anyWishes, { maxLength: 3 }),
    unkeyed: fc.array(fc.nat(3), { maxLength: 2 }),
    wishes: anyWishes,
    options: fc.constantFrom(keep, prune),
  })
  fc.assert(
    fc.property(cases, ({ before, unkeyed, wishes, options }) => {
      const environment = environmentOf(...before)
      for (const index of unkeyed) environment.removeKey(index)
      const plan = planFor(environment, wishes, options)
      const refusals = options.prune ? [] : lostKeys(environment, wishes)
      expect(plan.refusals.toSorted()).toEqual(refusals.toSorted())
      // If one thing is impossible, nothing is done.
      if (plan.refusals.length > 0) return
      expect(JSON.stringify([planLines(plan), plan.steps.map(stepView)])).not.toMatch(/secret-\d/)
      // Throws if a step needs something that an earlier one did not make.
      environment.run(plan.steps)
      expect(planFor(environment, wishes, options)).toMatchObject({ steps: [], refusals: [] })
      if (options.prune && wishes.subscriptions) {
        expect(environment.state.subscriptions).toHaveLength(wishes.subscriptions.length)
      }
    }),
    { numRuns: 300 },
  )
})

it('a run that ends after any step is continued by the next run', () => {
  fc.assert(
    fc.property(
      fc.array(anyWishes, { maxLength: 2 }),
      anyWishes,
      fc.nat(10),
      (before, wishes, at) => {
        const environment = environmentOf(...before)
        environment.run(planFor(environment, wishes, prune).steps.slice(0, at))
        environment.run(planFor(environment, wishes, prune).steps)
        expect(planFor(environment, wishes, prune).steps).toEqual([])
      },
    ),
  )
})
