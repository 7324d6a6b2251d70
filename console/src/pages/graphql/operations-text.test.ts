import { describe, expect, it } from '@jest/globals'
import { buildSchema, parse, validate } from 'graphql'
import { firstQuery, formatted, operationsIn } from './operations-text.ts'
import { rootsOf, searchSchema, typeDoc } from './schema-docs.ts'

const schema = buildSchema(`
  type Query {
    "One order"
    order(id: ID!): Order
    orders(limit: Int, cursor: String): Order_page
  }
  type Mutation { createOrder(customer: String!, state: State): Order }
  enum State { "Not yet paid" NEW PAID }
  "What somebody bought"
  type Order { id: ID! customer: String state: State lines(first: Int!): [String!] }
  type Order_page { records: [Order!]! nextCursor: String }
`)

it.each([
  ['an unnamed one', '{ a }', []],
  ['two, and a fragment', 'query A { ...F } mutation B { b } fragment F on Q { a }', ['A', 'B']],
  ['a fault', 'query A {', []],
])('finds the operations of %s', (_what, query, names) => {
  expect(operationsIn(query)).toEqual(names)
})

it.each([
  ['indents', '{a{b}}', '{\n  a {\n    b\n  }\n}'],
  ['keeps comments', '{ a # important\n }', null],
  ['leaves a fault alone', '{ a', null],
])('%s', (_what, query, text) => {
  expect(formatted(query)).toBe(text)
})

describe('the first query', () => {
  it('asks for a page of the first list, and is valid', () => {
    const query = firstQuery(schema)
    expect(query).toContain('orders(limit: 5)')
    expect(query).toContain('customer')
    expect(validate(schema, parse(query))).toEqual([])
  })

  it('is valid where there is nothing to ask for', () => {
    const empty = buildSchema('type Query { _empty: Boolean }')
    expect(validate(empty, parse(firstQuery(empty)))).toEqual([])
    expect(firstQuery(buildSchema('type Query { one(id: ID!): ID }'))).toBe('')
  })
})

describe('the docs of a schema', () => {
  it('describe a type, its fields and their arguments', () => {
    expect(rootsOf(schema)).toEqual(['Query', 'Mutation'])
    const { kind, fields } = typeDoc(schema, 'Query') ?? {}
    expect(kind).toBe('object')
    expect(fields?.[0]).toMatchObject({ name: 'order', type: 'Order', about: 'One order' })
    expect(fields?.[1]?.inputs.map(({ name, type }) => [name, type])).toEqual([
      ['limit', 'Int'],
      ['cursor', 'String'],
    ])
    expect(typeDoc(schema, 'State')?.members[0]).toMatchObject({
      name: 'NEW',
      about: 'Not yet paid',
    })
    expect(typeDoc(schema, 'Nothing')).toBeNull()
  })

  it('find what begins with a word first', () => {
    const found = searchSchema(schema, 'order').map(({ type, field }) => field ?? type)
    expect(found.slice(0, 4)).toEqual(['order', 'orders', 'Order', 'Order_page'])
    expect(found).toContain('createOrder')
    expect(searchSchema(schema, ' ')).toEqual([])
  })
})
