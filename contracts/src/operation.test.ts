import { describe, expect, test } from '@jest/globals'
import * as z from 'zod'
import { defineOperation } from './operation.ts'

const base = {
  id: 'getThing',
  method: 'get',
  path: '/things/{id}',
  summary: 'Get a thing',
  description: 'Returns the thing.',
  tag: 'things',
  security: 'none',
  params: z.object({ id: z.string() }),
  reply: { status: 200, schema: z.object({ id: z.string() }) },
  errors: ['NOT_FOUND'],
} as const

describe('defineOperation', () => {
  test('returns the given definition', () => {
    expect(defineOperation(base)).toBe(base)
  })

  test.each([
    ['a path parameter that is not declared', { path: '/things/{id}/{part}' }],
    ['a declared parameter that is not in the path', { path: '/things' }],
    ['a body that lets unknown fields through', { body: z.object({ name: z.string() }) }],
    ['a query that lets unknown fields through', { query: z.looseObject({ q: z.string() }) }],
    ['a management token without a right', { security: 'managementOrUser' as const }],
    ['a right without a management token', { right: 'users' as const }],
    ['a header not in lower case', { headers: z.object({ 'X-Project-Id': z.string() }) }],
  ])('refuses %s', (_what, fault) => {
    expect(() => defineOperation({ ...base, ...fault })).toThrow('Operation getThing')
  })

  test('a strict object stays strict when it is refined or made partial', () => {
    const body = z
      .strictObject({ name: z.string() })
      .partial()
      .refine(() => true)
    expect(defineOperation({ ...base, body }).body).toBe(body)
  })
})
