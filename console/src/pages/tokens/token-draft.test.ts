import { describe, expect, it } from '@jest/globals'
import {
  emptyToken,
  environmentsText,
  faultsIn,
  isExpired,
  rightsText,
  tokenInputOf,
} from './token-draft.ts'

const now = new Date('2026-11-25T12:00:00Z')

describe('the form of a management token', () => {
  it('asks for every environment and 90 days unless somebody chooses', () => {
    const draft = { ...emptyToken, name: ' ci ' }
    expect(faultsIn(draft)).toEqual([])
    expect(tokenInputOf(draft, now)).toEqual({
      name: 'ci',
      environments: null,
      rights: ['records', 'sources', 'tables', 'users', 'webhooks'],
      expiresAt: '2027-02-23T12:00:00.000Z',
    })
  })

  it('asks for what was chosen', () => {
    const input = tokenInputOf(
      { name: 'ci', environments: ['dev'], rights: ['users'], days: 'never' },
      now,
    )
    expect(input).toEqual({
      name: 'ci',
      environments: ['dev'],
      rights: ['users'],
      expiresAt: null,
    })
  })

  it('names what is missing', () => {
    expect(faultsIn({ ...emptyToken, rights: [] }).map(({ field }) => field)).toEqual([
      'name',
      'rights',
    ])
  })
})

it('says what a token may do, also to an older auth-service', () => {
  expect(rightsText({ rights: ['records', 'users'] })).toBe('records, users')
  expect(rightsText({})).toBe('all')
})

it('says where a token is valid, and until when', () => {
  expect(environmentsText({ environments: null })).toBe('all')
  expect(environmentsText({ environments: ['dev', 'master'] })).toBe('dev, master')
  expect(isExpired({ expiresAt: null }, now)).toBe(false)
  expect(isExpired({ expiresAt: '2026-11-25T12:00:00Z' }, now)).toBe(true)
  expect(isExpired({ expiresAt: '2026-11-25T12:00:01Z' }, now)).toBe(false)
})
