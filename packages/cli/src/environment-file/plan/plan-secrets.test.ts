import { expect, it } from '@jest/globals'
import { aPolicy, aWish } from '../../../test/support/a-wish.ts'
import { ModelEnvironment } from '../../../test/support/model-environment.ts'
import type { Wishes } from '../file/wishes.ts'
import { planLines } from '../show-plan.ts'
import { makePlan } from './plan.ts'

/** Long enough to have a fingerprint. */
const long = 'long-enough-to-be-compared'
const billing = aWish({ key: 'billing', secret: `secret-${long}` })

const planFor = (environment: ModelEnvironment, wishes: Wishes) =>
  makePlan(wishes, environment.state, { prune: false, allowDataLoss: false })
const linesOf = (...args: Parameters<typeof planFor>) => planLines(planFor(...args))

function environmentOf(wishes: Wishes): ModelEnvironment {
  const environment = new ModelEnvironment()
  environment.run(planFor(environment, wishes).steps)
  return environment
}

it('writes a secret again that is too short to be compared, and says so', () => {
  const policy = aPolicy({ headers: { 'X-Pin': '4711', 'X-Key': long } })
  const wishes = { subscriptions: [{ ...billing, secret: 'hunter2', policy }] }
  const environment = environmentOf(wishes)
  expect(linesOf(environment, wishes).slice(0, 3)).toEqual([
    '~ subscription billing',
    '    ~ secret: (hidden, too short to compare)',
    '    ~ policy.headers.X-Pin: (hidden, too short to compare)',
  ])
  expect(planFor(environment, wishes).steps).toMatchObject([
    { input: { secret: 'hunter2', policy: { headers: policy.headers } } },
  ])
})

it('sends the headers again with another URL, which may drop them', () => {
  const policy = aPolicy({ headers: { Authorization: `Bearer ${long}` } })
  const environment = environmentOf({ subscriptions: [{ ...billing, policy }] })
  const moved = { subscriptions: [{ ...billing, url: 'https://new.example', policy }] }
  const { steps } = planFor(environment, moved)
  expect(steps).toMatchObject([
    { changes: [{ field: 'url' }], input: { policy: { headers: policy.headers } } },
  ])
  environment.run(steps)
  expect(planFor(environment, moved).steps).toEqual([])
})
