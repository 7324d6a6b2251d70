import { expect, it } from '@jest/globals'
import { openInternalServer } from '@surehook/service-kit/http/internal-server'
import { silent } from '@surehook/testing/database'
import { createMetrics } from '../src/telemetry/metrics.ts'

const options = () => ({
  port: 0,
  host: '127.0.0.1',
  metrics: createMetrics('test'),
  log: silent,
})

async function read(port: number, path: string): Promise<[number, unknown]> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`)
  return [answer.status, await answer.json()]
}

it('is alive from the start, and ready when every check passes', async () => {
  await using server = await openInternalServer(options())
  expect(await read(server.port, '/healthz')).toEqual([200, { status: 'ok' }])
  expect(await read(server.port, '/readyz')).toEqual([
    503,
    { status: 'unavailable', failed: { startup: 'still starting' } },
  ])

  let away = true
  server.setChecks({
    fine: () => {},
    database: async () => {
      if (away) throw new Error('connection refused')
    },
  })
  expect(await read(server.port, '/readyz')).toEqual([
    503,
    { status: 'unavailable', failed: { database: 'connection refused' } },
  ])
  away = false
  expect(await read(server.port, '/readyz')).toEqual([200, { status: 'ok' }])
})

it('does not wait for a check that hangs', async () => {
  await using server = await openInternalServer(options())
  server.setChecks({ hanging: () => new Promise(() => {}) })
  expect(await read(server.port, '/readyz')).toEqual([
    503,
    { status: 'unavailable', failed: { hanging: 'no answer in 2000 ms' } },
  ])
})

it('serves metrics with the name of the service', async () => {
  const { metrics, ...rest } = options()
  await using server = await openInternalServer({ metrics, ...rest })
  metrics.counter({ name: 'things_total', help: 'Things', labelNames: ['kind'] }).inc({ kind: 'a' })
  metrics.counter({ name: 'things_total', help: 'Things', labelNames: ['kind'] }).inc({ kind: 'a' })
  const answer = await fetch(`http://127.0.0.1:${server.port}/metrics`)
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain/)
  const text = await answer.text()
  expect(text).toContain('things_total{kind="a",service="test"} 2')
  expect(text).toContain('process_resident_memory_bytes{service="test"}')
})

it('has no other path', async () => {
  await using server = await openInternalServer(options())
  expect(await read(server.port, '/__proto__')).toEqual([404, { error: 'NOT_FOUND' }])
  const answer = await fetch(`http://127.0.0.1:${server.port}/healthz`, { method: 'POST' })
  expect(answer.status).toBe(405)
})
