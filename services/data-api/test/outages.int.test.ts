import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { TcpProxy } from '@surehook/testing/tcp-proxy'
import { until } from '@surehook/testing/until'
import { pino } from 'pino'
import { compose } from '../src/compose.ts'
import { clientOf } from './support/client.ts'
import { openWorld, type World } from './support/under-test.ts'

let world: World
let proxy: TcpProxy
let databaseUrl: string

beforeAll(async () => {
  world = await openWorld()
  proxy = await TcpProxy.openTo(world.database.databaseUrl)
  databaseUrl = proxy.urlOf(world.database.databaseUrl)
})

afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

const columns = [{ name: 'a', type: 'integer' }]

const ready = async (internal: string) => (await fetch(`${internal}/readyz`)).status === 200

describe('PostgreSQL away', () => {
  test('while it runs: 503 with Retry-After, not ready; then everything resumes by itself', async () => {
    await using running = await world.startService({ databaseUrl })
    const tenant = await world.tenant()
    const client = clientOf(running.api, tenant)
    await client.call('PUT _tables/orders', { columns })
    const { body: record } = await client.call('POST orders', { a: 0 })

    proxy.set({ kind: 'reset' })
    for (const [request, body] of [
      ['POST orders', { a: 1 }],
      ['GET orders'],
      [`GET orders/${record.id}`],
      [`PATCH orders/${record.id}`, { a: 1 }],
      [`DELETE orders/${record.id}`],
      ['GET _tables'],
      ['PUT _tables/others', { columns }],
    ] as const) {
      const answer = await client.call(request, body)
      expect([answer.status, answer.body.error]).toEqual([503, 'SERVICE_UNAVAILABLE'])
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(Object.keys(answer.body)).not.toContain('stack')
    }
    expect(await ready(running.internal)).toBe(false)

    proxy.set({ kind: 'pass' })
    await until(async () => (await client.call('POST orders', { a: 2 })).status === 201)
    await until(() => ready(running.internal))
    const changes = await world.changes.until(tenant.projectId, (all) =>
      [0, 2].every((a) => all.some(({ data }) => data['a'] === a)),
    )
    // An event that was published just before may be published again, with the same id.
    const once = new Map(changes.map(({ id, data }) => [id, data['a']]))
    // The two records are on different partitions, so either may come first.
    expect([...once.values()].toSorted()).toEqual([0, 2])
  })

  test('at start: the service waits, logs it and is not ready until PostgreSQL is reachable', async () => {
    proxy.set({ kind: 'reset' })
    const lines: string[] = []
    const log = pino({ level: 'info' }, { write: (line) => void lines.push(line) })
    const stop = new AbortController()
    // With port 0 the address would be unknown before the service has started.
    const internal = 20_000 + Math.floor(Math.random() * 10_000)
    const config = {
      ...world.config,
      databaseUrl,
      internal: { host: '127.0.0.1', port: internal },
    }
    const starting = compose(config, log, stop.signal)
    await until(async () =>
      lines.some((line) => line.includes('dependency.waiting') && line.includes('postgres')),
    )
    expect(await ready(`http://127.0.0.1:${internal}`)).toBe(false)
    proxy.set({ kind: 'pass' })
    const service = await starting
    await service.start(stop.signal)
    await until(() => ready(`http://127.0.0.1:${internal}`))
    await service[Symbol.asyncDispose]()
  })
})
