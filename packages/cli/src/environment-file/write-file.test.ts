import { expect, it } from '@jest/globals'
import type { Subscription } from '@surehook/client'
import fc from 'fast-check'
import { anyWishes } from '../../test/support/any-wishes.ts'
import { ModelEnvironment } from '../../test/support/model-environment.ts'
import { parseFile } from './file/parse-file.ts'
import { wishesOf } from './file/wishes.ts'
import { makePlan } from './plan/plan.ts'
import { writeFile } from './write-file.ts'

const options = { prune: true, allowDataLoss: false }

it('of any environment: the file is valid, and only its secrets may differ', () => {
  fc.assert(
    fc.property(fc.array(anyWishes, { maxLength: 3 }), fc.array(fc.nat(3)), (all, unkeyed) => {
      const environment = new ModelEnvironment()
      for (const wishes of all) {
        const { steps } = makePlan(wishes, environment.state, { ...options, prune: false })
        environment.run(steps)
      }
      for (const index of unkeyed) environment.removeKey(index)
      const { text, variables } = writeFile(environment.state)
      expect(text).not.toMatch(/secret-\d/)
      // Nobody knows the secrets: they differ in every subscription.
      const env = Object.fromEntries(variables.map((name) => [name, 'unknown']))
      const wishes = wishesOf(parseFile(text, 'exported'), env)
      const plan = makePlan(wishes, environment.state, options)
      expect([plan.refusals, plan.left]).toEqual([[], []])
      const shown = plan.steps.flatMap((step) => step.changes.filter((one) => !('hidden' in one)))
      expect(shown).toEqual([])
    }),
    { numRuns: 100 },
  )
})

it('writes a URL so that apply reads no variable in it', () => {
  const text = fc.array(fc.constantFrom('$', '{', '}', '${A}', 'B'), { maxLength: 8 })
  fc.assert(
    fc.property(text, (parts) => {
      const url = `https://receiver.example/${parts.join('')}`
      const file = writeFile({ subscriptions: [subscription({ url })] })
      const env = { ORDERS_SECRET: 's', A: 'filled in' }
      const { subscriptions } = wishesOf(parseFile(file.text, 'exported'), env)
      expect(subscriptions).toMatchObject([{ url }])
    }),
  )
})

const subscription = (fields: Partial<Subscription>): Subscription => ({
  id: '0199d2a0-0000-7000-8000-000000000001',
  projectId: 'shop',
  environment: 'master',
  table: 'orders',
  events: ['INSERT'],
  url: 'https://receiver.example/hook',
  active: true,
  createdAt: '2026-01-01T00:00:00.000Z',
  ...fields,
})

it('names a variable for each secret, none twice, and none like those of the command', () => {
  const { text, variables } = writeFile({
    subscriptions: [
      subscription({
        key: 'billing-eu',
        name: 'Billing',
        policy: { headerNames: ['X-Api-Key'], gone: 'deactivate' },
      }),
      subscription({}),
      subscription({ active: false, disabledReason: 'gone' }),
      subscription({ key: 'surehook', policy: { headerNames: ['Token'] } }),
    ],
  })
  expect(variables.toSorted()).toEqual([
    'BILLING_EU_SECRET',
    'BILLING_EU_X_API_KEY',
    'ORDERS_SECRET',
    'ORDERS_SECRET_2',
    '_SUREHOOK_SECRET',
    '_SUREHOOK_TOKEN',
  ])
  expect(text).toContain(
    [
      '  - key: billing-eu',
      '    name: Billing',
      '    table: orders',
      '    events:',
      '      - INSERT',
      '    url: https://receiver.example/hook',
      '    secret: ${BILLING_EU_SECRET}',
      '    policy:',
      '      gone: deactivate',
      '      headers:',
      '        X-Api-Key: ${BILLING_EU_X_API_KEY}',
    ].join('\n'),
  )
})
