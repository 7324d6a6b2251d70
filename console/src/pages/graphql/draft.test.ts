import { expect, it } from '@jest/globals'
import { type GraphQLRequest, titleOf, withAsked } from './draft.ts'

const asked = (query: string): GraphQLRequest => ({ query, variables: '' })

it('keeps the newest 20 queries, each once', () => {
  let past: GraphQLRequest[] = []
  for (let n = 0; n < 30; n++) past = withAsked(past, asked(`{ a${n} }`))
  past = withAsked(past, asked('{ a25 }'))
  expect(past).toHaveLength(20)
  expect(past.slice(0, 2)).toEqual([asked('{ a25 }'), asked('{ a29 }')])
  expect(withAsked(past, { query: '{ a25 }', variables: '{}' })).toHaveLength(20)
})

it('names a query by its first words, without comments', () => {
  expect(titleOf(asked('# mine\nquery A {\n  a\n}'))).toBe('query A { a }')
  expect(titleOf(asked(`{ ${'a'.repeat(90)} }`))).toHaveLength(60)
})
