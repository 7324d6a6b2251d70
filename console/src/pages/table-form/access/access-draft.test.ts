import { expect, it } from '@jest/globals'
import { grantOf, noAccess, rolesOf } from '../../../parts/data/access/access.ts'
import { accessIn, accessJson, withToggled } from './access-draft.ts'

it('shows what it can, and leaves other JSON as it is', () => {
  const access = { ...noAccess, read: ['clerk'] }
  expect(accessIn(accessJson(access))).toEqual(access)
  const others = [{ read: ['clerk'] }, { ...access, reed: [] }, { ...access, read: [7] }]
  for (const text of ['', '[]', '{', ...others.map((other) => JSON.stringify(other))]) {
    expect([text, accessIn(text)]).toEqual([text, null])
  }
})

const own = { role: '*', where: { owner_id: '$user.id' } }

it('keeps rules, and leaves those with a field that the form lacks', () => {
  const rules = [
    own,
    { role: 'clerk', columns: [], set: { by: '$user.id' } },
    { role: 'clerk' },
    'boss',
  ]
  const access = { ...noAccess, create: rules }
  expect(accessIn(accessJson(access))).toEqual(access)
  const others = [
    { ...own, unless: {} },
    { where: {} },
    { ...own, where: 'x' },
    { ...own, columns: {} },
  ]
  for (const other of others) {
    expect(accessIn(accessJson({ ...access, create: [other as never] }))).toBeNull()
  }
})

it('says no, some or yes: entries add up', () => {
  expect(grantOf([own], 'clerk')).toBe('no')
  expect(grantOf([own, { ...own, columns: ['note'] }], '*')).toBe('some')
  expect(grantOf([own, '*'], '*')).toBe('yes')
  expect(grantOf([own, { role: '*' }], '*')).toBe('yes')
})

it('takes the whole action away, and leaves the rules', () => {
  const access = { ...noAccess, read: [own, '*', { role: '*' }, 'clerk'] }
  const taken = withToggled(access, 'read', '*')
  expect(taken.read).toEqual([own, 'clerk'])
  expect(withToggled(taken, 'read', '*').read).toEqual([own, 'clerk', '*'])
})

it('gives and takes one action of one role', () => {
  const given = withToggled(noAccess, 'update', 'clerk')
  expect(given).toEqual({ ...noAccess, update: ['clerk'] })
  expect(withToggled(given, 'update', 'clerk')).toEqual(noAccess)
})

it('has a row for each role that exists or has access, by name', () => {
  const access = { ...noAccess, read: ['old', own], delete: ['old'] }
  expect(rolesOf(access, ['clerk', 'admin'])).toEqual(['*', 'admin', 'clerk', 'old'])
})
