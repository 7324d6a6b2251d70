import { once } from 'node:events'
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { openRedis, type RedisClient } from '@surehook/service-kit/redis/client'
import { toUnavailable } from '@surehook/service-kit/unavailable'
import { silent } from '@surehook/testing/database'
import { TcpProxy } from '@surehook/testing/tcp-proxy'

let proxy: TcpProxy
let url: string
const clients: RedisClient[] = []

beforeEach(async () => {
  const real = process.env['TEST_REDIS_URL']
  if (real === undefined) throw new Error('TEST_REDIS_URL is not set')
  proxy = await TcpProxy.openTo(real)
  url = proxy.urlOf(real)
})

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy()
  await proxy[Symbol.asyncDispose]()
})

async function open(): Promise<RedisClient> {
  const client = await openRedis({ url, log: silent })
  clients.push(client)
  return client
}

const failure = (promise: Promise<unknown>) => promise.catch((err: unknown) => toUnavailable(err))
const unavailable = { code: 'SERVICE_UNAVAILABLE' }

it('fails at once while Redis is unreachable, and works again afterwards', async () => {
  const client = await open()
  expect(await client.ping()).toBe('PONG')

  const lost = once(client, 'error')
  proxy.set({ kind: 'reset' })
  await lost
  // The proxy still refuses every connection.
  expect(await failure(client.ping())).toMatchObject(unavailable)

  // Not `events.once`, which failed attempts would reject.
  const back = new Promise((resolve) => client.once('ready', resolve))
  proxy.set({ kind: 'pass' })
  await back
  expect(await client.ping()).toBe('PONG')
})

it('times out for a Redis that hangs', async () => {
  const client = await open()
  proxy.set({ kind: 'drop' })
  expect(await failure(client.ping())).toMatchObject(unavailable)
})

it('waits for a Redis that has not started', async () => {
  proxy.set({ kind: 'reset' })
  const opening = open()
  proxy.set({ kind: 'pass' })
  expect(await (await opening).ping()).toBe('PONG')
})

it('stops waiting when its signal aborts', async () => {
  proxy.set({ kind: 'reset' })
  const stop = new AbortController()
  const opening = openRedis({ url, log: silent, signal: stop.signal })
  stop.abort(new DOMException('SIGTERM', 'AbortError'))
  await expect(opening).rejects.toMatchObject({ name: 'AbortError' })
})
