import { expect, it } from '@jest/globals'
import { searchFor, userQueryOf } from './user-query.ts'

it('asks for what the URL names, and for nothing empty', () => {
  expect(userQueryOf(new URLSearchParams('email=&cursor='))).toEqual({ limit: 50 })
  expect(userQueryOf(new URLSearchParams('email=ada@example.com&cursor=c'))).toEqual({
    limit: 50,
    email: 'ada@example.com',
    cursor: 'c',
  })
})

it('begins another search at its first page', () => {
  expect(searchFor(' ada@example.com ').toString()).toBe('email=ada%40example.com')
  expect(searchFor(' ').toString()).toBe('')
})
