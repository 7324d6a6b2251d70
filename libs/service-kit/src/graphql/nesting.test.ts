import { describe, expect, it } from '@jest/globals'
import { getIntrospectionQuery } from 'graphql'
import { requireShallow } from './nesting.ts'

const nested = (depth: number, open: string, close: string) =>
  open.repeat(depth) + close.repeat(depth)

describe('requireShallow', () => {
  it.each([
    ['a list', nested(199, '[', ']')],
    ['a tool', getIntrospectionQuery()],
    ['what stands in a text', `"${'['.repeat(500)}" """${'{'.repeat(500)}""" # ${'('.repeat(500)}`],
    ['what stands side by side', '{}'.repeat(500)],
  ])('accepts %s', (_what, query) => {
    expect(() => requireShallow(query, 5_000)).not.toThrow()
  })

  it.each(['{ }', '[ ]', '( )'])('refuses deep nesting: %s', (pair) => {
    const [open = '', close = ''] = pair.split(' ')
    expect(() => requireShallow(nested(201, open, close), 5_000)).toThrow('deeper than 200')
  })
})
