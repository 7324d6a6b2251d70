import { describe, expect, it } from '@jest/globals'
import { buildSchema, parse } from 'graphql'
import { Introspection } from './introspection.ts'

const schema = buildSchema('type Query { a: Int }')
const asked = '{ __schema { queryType { name } } }'

describe('questions about the schema', () => {
  it('get a kept answer when they are repeated, by their variables too', () => {
    const introspection = new Introspection()
    const ask = (query: string, variableValues: Record<string, unknown> = {}) =>
      introspection.execute({ schema, document: parse(query), variableValues })
    expect(ask(asked)).toMatchObject({ data: { __schema: { queryType: { name: 'Query' } } } })
    expect(ask(asked)).toBe(ask(asked))
    const byName = 'query ($n: String!) { __type(name: $n) { name } }'
    expect(ask(byName, { n: 'Query' })).toMatchObject({ data: { __type: { name: 'Query' } } })
    expect(ask(byName, { n: 'Int' })).toMatchObject({ data: { __type: { name: 'Int' } } })
    expect(ask('{ __typename a }')).not.toBe(ask('{ __typename a }'))
  })

  it('are answered one at a time, the clients in turns, and everything else in between', async () => {
    const introspection = new Introspection()
    const order: string[] = []
    const ask = (client: string) =>
      introspection.inTurn({ query: asked }, client, async () => void order.push(client))
    const all = [...Array.from({ length: 10 }, () => ask('many')), ask('other')]
    const rest = introspection.inTurn(
      { query: '{ a }' },
      'many',
      async () => void order.push('rest'),
    )
    await Promise.all([...all, rest])
    expect(order[0]).toBe('rest')
    expect(order.indexOf('other')).toBeLessThan(4)
  })

  it('wait for their turns like requests with many objects as variables', async () => {
    const introspection = new Introspection()
    const order: string[] = []
    const ask = (values: number) => {
      const variables = { where: { and: Array.from({ length: values }, () => ({})) } }
      const request = { query: 'query ($where: W) { a(where: $where) }', variables }
      return introspection.inTurn(request, 'client', async () => void order.push(`${values}`))
    }
    await Promise.all([ask(200), ask(50)])
    expect(order).toEqual(['50', '200'])
  })

  it('keep no request with a long list of plain values waiting', async () => {
    const introspection = new Introspection()
    const ids = Array.from({ length: 500 }, (_, n) => `id-${n}`)
    const request = { query: 'query ($ids: [ID!]) { a(ids: $ids) }', variables: { ids } }
    const ask = () => introspection.inTurn(request, 'client', async () => 'done')
    const all = await Promise.allSettled(Array.from({ length: 100 }, ask))
    expect(all.filter(({ status }) => status === 'rejected')).toEqual([])
  })

  it('are refused when a client has too many, and those of another are not', async () => {
    const introspection = new Introspection()
    const ask = (client: string) =>
      introspection.inTurn({ query: asked }, client, async () => client)
    const many = Array.from({ length: 40 }, () => ask('many'))
    const other = ask('other')
    const outcomes = await Promise.allSettled(many)
    const refused = outcomes.filter(({ status }) => status === 'rejected')
    expect(refused).toHaveLength(40 - 1 - 32)
    expect(refused[0]).toMatchObject({ reason: { code: 'SERVICE_UNAVAILABLE' } })
    expect(await other).toBe('other')
  })
})
