import { expect, it } from '@jest/globals'
import { choicesOf, isSame } from './role-choice.ts'

it('offers the roles of the environment, and those that the user has', () => {
  expect(choicesOf(['clerk', 'admin'], ['clerk', 'auditor'])).toEqual(['admin', 'auditor', 'clerk'])
})

it('has nothing to save if the roles are those of before, in any order', () => {
  expect(isSame(['clerk', 'admin'], ['admin', 'clerk'])).toBe(true)
  expect(isSame(['clerk'], ['admin'])).toBe(false)
  expect(isSame([], ['admin'])).toBe(false)
})
