import { describe, expect, it } from '@jest/globals'
import { adminGate } from './admin-token.ts'

const gate = adminGate(['correct-horse', 'the-next-horse'])

describe('adminGate', () => {
  it.each([
    'Bearer correct-horse',
    'bearer correct-horse',
    'Bearer  correct-horse ',
    'Bearer the-next-horse',
  ])('lets %j in', (header) => expect(() => gate(header)).not.toThrow())

  it.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'correct-horse',
    'Basic correct-horse',
    'Bearer correct-hors',
    'Bearer correct-horse2',
    'Bearer correct-horse,the-next-horse',
    'Bearer correct-horse correct-horse',
  ])('refuses %j', (header) => {
    expect(() => gate(header)).toThrow(expect.objectContaining({ code: 'ADMIN_TOKEN_INVALID' }))
  })

  it('distinguishes no credential from a wrong one', () => {
    expect(() => gate(undefined)).toThrow('There is no credential')
    expect(() => gate('')).toThrow('There is no credential')
    expect(() => gate('Bearer wrong')).toThrow('The administration token is wrong')
  })
})
