import { expect, it } from '@jest/globals'
import { ModelEnvironment } from '../../../test/support/model-environment.ts'
import { parseFile } from '../file/parse-file.ts'
import { wishesOf } from '../file/wishes.ts'
import { planLines } from '../show-plan.ts'
import { writeFile } from '../write-file.ts'
import { makePlan } from './plan.ts'

const keep = { prune: false, allowDataLoss: false }
const file = (issuers: string) =>
  wishesOf(parseFile(`version: 2\ntrustedIssuers: ${issuers}`, 'file'), {})
const [one, other] = ['https://a.example/', 'https://b.example']
const both = file(`[{ issuer: ${one}, audience: x }, { issuer: ${other}, audience: [y, z] }]`)

function environmentOf(wishes: ReturnType<typeof file>): ModelEnvironment {
  const environment = new ModelEnvironment()
  environment.run(makePlan(wishes, environment.state, keep).steps)
  return environment
}

it('says which issuers come, change and go', () => {
  const { state } = environmentOf(both)
  const plan = makePlan(file(`[{ issuer: ${one}, audience: x, rolesClaim: r }]`), state, keep)
  const before = 'audience: [ x ], rolesClaim: roles, userIdClaim: sub'
  expect(planLines(plan)).toEqual([
    '~ trustedIssuers settings',
    `    ~ ${one}: { ${before} } -> { audience: [ x ], rolesClaim: r, userIdClaim: sub }`,
    `    - ${other}: { audience: [ y, z ], rolesClaim: roles, userIdClaim: sub }`,
    '0 to create, 1 to change, 0 to delete.',
  ])
})

it('does nothing twice, in any order, and for no file that names none', () => {
  const environment = environmentOf(both)
  const turned = file(`[{ issuer: ${other}, audience: [y, z] }, { issuer: ${one}, audience: x }]`)
  for (const wishes of [both, turned, { roles: {} }]) {
    expect(makePlan(wishes, environment.state, keep).steps).toEqual([])
  }
  environment.run(makePlan(file('[]'), environment.state, keep).steps)
  expect(environment.state.trustedIssuers).toEqual([])
})

it('writes the issuers as it reads them', () => {
  const { state } = environmentOf(both)
  const { text } = writeFile({ trustedIssuers: state.trustedIssuers })
  expect(makePlan(wishesOf(parseFile(text, 'file'), {}), state, keep).steps).toEqual([])
})
