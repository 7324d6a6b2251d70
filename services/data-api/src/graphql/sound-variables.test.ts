import { expect, it } from '@jest/globals'
import { buildSchema, parse } from 'graphql'
import { requireSoundVariables } from './sound-variables.ts'

const schema = buildSchema(`
  input NewOrder { n: Int }
  type Query { a: Int }
  type Mutation { createOrders(input: [NewOrder!]!): Int }
`)
const input = (count: number) => Array.from({ length: count }, (_, n) => ({ n }))
const create = (name: string) =>
  `mutation ${name}($input: [NewOrder!]!) { createOrders(input: $input) }`

it('counts the objects of one operation, because only one is executed', () => {
  const document = parse(`${create('A')} ${create('B')}`)
  const check = (count: number) => () =>
    requireSoundVariables(document, schema, { input: input(count) })
  expect(check(1_000)).not.toThrow()
  expect(check(1_001)).toThrow('more than 1000 objects')
})
