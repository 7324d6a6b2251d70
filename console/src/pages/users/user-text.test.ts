import { expect, it } from '@jest/globals'
import { nameOf, rolesText, stateOf } from './user-text.ts'

it('says first what keeps a user out', () => {
  expect(stateOf({ disabled: true, emailVerified: false })).toEqual(['bad', 'Disabled'])
  expect(stateOf({ disabled: false, emailVerified: false })).toEqual([
    'warn',
    'Address not confirmed',
  ])
  expect(stateOf({ disabled: false, emailVerified: true })).toEqual(['good', 'Active'])
})

it('names users and roles, also those that have none', () => {
  expect(nameOf({ firstName: '', lastName: 'Hopper' })).toBe('Hopper')
  expect(nameOf({ firstName: '', lastName: '' })).toBe('–')
  expect(rolesText(['clerk', 'admin'])).toBe('clerk, admin')
  expect(rolesText([])).toBe('none')
})
