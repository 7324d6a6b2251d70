import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Records } from '@surehook/scripts/client/call'
import type { GraphQLAnswer } from '@surehook/scripts/client/graphql'
import { clientOf } from './support/client.ts'
import { type GraphQLClient, graphqlClientOf } from './support/graphql-client.ts'
import { openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

let world: World
let service: Running

beforeAll(async () => {
  world = await openWorld()
  service = await world.startService()
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

const columns = [
  { name: 'status', type: 'text' },
  { name: 'n', type: 'integer' },
  { name: 'big', type: 'bigint' },
  { name: 'meta', type: 'json' },
]

describe('a list over GraphQL', () => {
  let lists: Tenant
  let askLists: GraphQLClient

  beforeAll(async () => {
    lists = await world.tenant()
    const to = clientOf(service.api, lists)
    await to.call('PUT _tables/order_items', { columns })
    const records = Array.from({ length: 7 }, (_, n) => ({
      status: n % 2 === 0 ? 'even' : 'odd',
      n: n < 6 ? n : null,
      big: String(2n ** 60n + BigInt(n)),
      meta: { city: n < 3 ? 'Rome' : 'Oslo', geo: { lat: n } },
    }))
    await to.call('POST order_items', records)
    askLists = graphqlClientOf(service.api, lists)
  })

  const query = `query ($where: OrderItem_where, $order: String, $limit: Int, $cursor: String) {
    orderItems(where: $where, order: $order, limit: $limit, cursor: $cursor) { records { n } nextCursor }
  }`
  const numbers = async (variables: object) => {
    const { data, errors } = await askLists<Records>(query, variables)
    expect(errors).toEqual([])
    return data?.['orderItems']?.records.map(({ n }) => n)
  }

  it.each([
    [{ status: { eq: 'odd' } }, [1, 3, 5]],
    [{ n: null }, [null]],
    [{ n: { eq: null } }, [null]],
    [{ n: { in: [1, null], exists: true } }, [1]],
    [{ n: { gt: 1, lte: 3 } }, [2, 3]],
    [{ status: { startsWith: 'o', contains: 'd' } }, [1, 3, 5]],
    [{ or: [{ n: { eq: 0 } }, { not: { n: { lt: 5 } } }] }, [0, 5, null]],
    [{ and: [{ status: { ne: 'odd' } }, { n: { exists: true } }] }, [0, 2, 4]],
    [{ big: { gte: '1152921504606846981' } }, [5, null]],
    [{ meta: { city: 'Rome', 'geo.lat': { gt: 0 } } }, [1, 2]],
    [{ not: { meta: { city: 'Rome' } } }, [3, 4, 5, null]],
    [{ meta: { exists: false } }, []],
  ])('of records that match %j', async (where, expected) => {
    expect(await numbers({ where })).toEqual(expected)
  })

  it('is ordered, and continues page by page', async () => {
    expect(await numbers({ order: '-n,id', limit: 3 })).toEqual([null, 5, 4])
    const seen: unknown[] = []
    let cursor: string | null = null
    do {
      const { data }: GraphQLAnswer<Records> = await askLists(query, {
        order: '-n',
        limit: 2,
        cursor,
      })
      seen.push(...(data?.['orderItems']?.records.map(({ n }) => n) ?? []))
      cursor = data?.['orderItems']?.nextCursor ?? null
    } while (cursor !== null)
    expect(seen).toEqual([null, 5, 4, 3, 2, 1, 0])
  })

  it.each([
    [{ limit: 0 }, 'limit'],
    [{ limit: 201 }, 'limit'],
    [{ order: 'meta' }, 'order'],
    [{ cursor: 'x' }, 'cursor'],
    [{ where: { n: { gt: null } } }, 'where.n.gt'],
    [{ where: { meta: { city: { gtx: 1 } } } }, 'where.meta.city.gtx'],
    [{ where: { meta: {} } }, 'where.meta'],
    [{ where: { and: [] } }, 'where.and'],
  ])('names the fault of %j', async (variables, field) => {
    const { codes, errors } = await askLists(query, variables)
    expect(codes).toEqual(['VALIDATION_ERROR'])
    expect(errors[0]?.extensions.violations).toMatchObject([{ field }])
  })

  it('shares the size limit of the answer with other lists', async () => {
    const to = clientOf(service.api, lists)
    await to.call('PUT _tables/texts', { columns: [{ name: 'body', type: 'text' }] })
    const body = 'x'.repeat(200_000)
    for (let i = 0; i < 6; i++)
      await to.call('POST texts', [{ body }, { body }, { body }, { body }])
    const one = await askLists<Records>('{ texts { records { id } nextCursor } }')
    expect(one.data?.['texts']).toMatchObject({ nextCursor: expect.any(String) })
    const four = await askLists<Records>(
      `{ ${['a', 'b', 'c', 'd'].map((name) => `${name}: texts { records { id } }`).join(' ')} }`,
    )
    const counts = Object.values(four.data ?? {}).map(({ records }) => records.length)
    const whole = one.data?.['texts']?.records.length ?? 0
    expect(counts.reduce((sum, count) => sum + count)).toBeLessThan(whole + 4)
  })
})
