import { expect, it } from '@jest/globals'
import { noAccess, rolesOf } from '../../../parts/data/access/access.ts'
import { accessIn, accessJson, withToggled } from './access-draft.ts'

it('shows what it can, and leaves other JSON as it is', () => {
  const access = { ...noAccess, read: ['clerk'] }
  expect(accessIn(accessJson(access))).toEqual(access)
  const others = [{ read: ['clerk'] }, { ...access, reed: [] }, { ...access, read: [7] }]
  for (const text of ['', '[]', '{', ...others.map((other) => JSON.stringify(other))]) {
    expect([text, accessIn(text)]).toEqual([text, null])
  }
})

it('gives and takes one action of one role', () => {
  const given = withToggled(noAccess, 'update', 'clerk')
  expect(given).toEqual({ ...noAccess, update: ['clerk'] })
  expect(withToggled(given, 'update', 'clerk')).toEqual(noAccess)
})

it('has a row for each role that exists or has access, by name', () => {
  const access = { ...noAccess, read: ['old', 'clerk'], delete: ['old'] }
  expect(rolesOf(access, ['clerk', 'admin'])).toEqual(['admin', 'clerk', 'old'])
})
