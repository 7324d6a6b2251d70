import { expect, it } from '@jest/globals'
import { type Access, noAccess, rulesOf } from '../../../../parts/data/access/access.ts'
import {
  emptyRule,
  ruleDraftOf,
  ruleIn,
  violationsOf,
  withoutRule,
  withRule,
} from './rule-draft.ts'

const own = { role: '*', where: { owner_id: '$user.id' } }
const sent = { role: 'clerk', columns: ['note'], set: { owner_id: '$user.id' } }
const access: Access = {
  ...noAccess,
  read: ['clerk', own, 'boss'],
  create: [sent, { role: '*', where: {} }],
}
const [first, second, third] = rulesOf(access)
if (first === undefined || second === undefined || third === undefined) throw new Error('no rule')

it('gives back each rule as it was', () => {
  for (const placed of [first, second, third]) {
    expect(ruleIn(ruleDraftOf(placed))).toEqual({ rule: placed.rule, violations: [] })
  }
})

it('names the field of text that is not JSON, and asks for a limit', () => {
  const wrong = { ...emptyRule('*'), action: 'create' as const, where: '{', set: '[]' }
  expect(ruleIn(wrong).violations).toEqual([
    { field: 'where', message: expect.stringContaining('is not JSON') },
    { field: 'set', message: 'must be a JSON object' },
  ])
  expect(ruleIn(emptyRule('*')).violations).toMatchObject([{ field: 'where' }])
})

it('leaves out what the action has not', () => {
  const draft = { ...ruleDraftOf(second), where: '{"note":"a"}' }
  expect(ruleIn({ ...draft, action: 'read' }).rule).not.toHaveProperty('set')
  expect(ruleIn({ ...draft, action: 'delete' }).rule).not.toHaveProperty('columns')
})

it('keeps the place of a rule in its action, moves it to another, and takes it away', () => {
  const changed = { role: 'boss', where: {} }
  expect(withRule(access, { action: 'read', rule: changed }, first).read).toEqual([
    'clerk',
    changed,
    'boss',
  ])
  expect(withRule(access, { action: 'delete', rule: own }, first)).toEqual({
    ...access,
    read: ['clerk', 'boss'],
    delete: [own],
  })
  expect(withRule(access, { action: 'update', rule: own }, null).update).toEqual([own])
  expect(withoutRule(access, first).read).toEqual(['clerk', 'boss'])
})

it('finds the violations of a rule', () => {
  const at = (field: string) => ({ field, message: 'is wrong' })
  const all = [at('access.read.1.where.a.eq'), at('access.read.10'), at('access.create.0.role')]
  expect(violationsOf(all, first)).toEqual([at('where.a.eq')])
})
