import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { type Stand, startStand } from './gateway.ts'
import { answerTo, openSlowClient, type SlowClient, type SlowRequest } from './slow-client.ts'

let stand: Stand
let slowClient: SlowClient

beforeAll(async () => {
  stand = await startStand({ TRUSTED_PROXIES: '127.0.0.1' })
})
beforeEach(() => {
  slowClient = openSlowClient(stand.port)
})
afterEach(() => slowClient[Symbol.dispose]())
afterAll(async () => {
  await stand[Symbol.asyncDispose]()
})

const slowBodies = 2_000
/** Larger than the spool limit. */
const largeBytes = 100_000

const begin = (request: SlowRequest) => slowClient.begin(request)

const slow = (n: number, client = `192.0.2.${n % 250}`): SlowRequest => ({
  ...{ path: '/auth/login', client },
  ...{ framing: 'Transfer-Encoding: chunked', body: '1\r\n{\r\n' },
})

async function post(path: string, body = '{}'): Promise<number> {
  const answer = await fetch(stand.url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': '198.51.100.1' },
    body,
  })
  await answer.text()
  return answer.status
}

describe('bodies that never end', () => {
  it('of 2,000 connections block no other request, small or large', async () => {
    await Promise.all(Array.from({ length: slowBodies }, (_, n) => begin(slow(n))))
    for (let n = 0; n < 20; n++) {
      expect(await post('/auth/login')).toBe(200)
      expect(await post('/gw/api/rest/orders', 'x'.repeat(largeBytes))).toBe(200)
    }
    expect(stand.auth.seen).toHaveLength(20)
  })

  it('of one client, large and announced, leave connections for the large bodies of others', async () => {
    const large = { ...slow(0, '192.0.2.7'), path: '/gw/api/rest/orders' }
    const framing = `Content-Length: ${largeBytes}`
    const many = Array.from({ length: 100 }, () => begin({ ...large, framing, body: '{' }))
    await Promise.all(many)
    expect(await post('/gw/api/rest/orders', 'x'.repeat(largeBytes))).toBe(200)
    expect(await post('/gw/api/rest/orders')).toBe(200)
  })

  it('of one client beyond its limit are answered 408, the oldest first', async () => {
    const first = answerTo(await begin(slow(0, '192.0.2.9')))
    await Promise.all(Array.from({ length: 300 }, (_, n) => begin(slow(n, '192.0.2.9'))))
    const text = await first
    expect(text).toMatch(/^HTTP\/1\.1 408 /)
    expect(text).toMatch(/X-Request-Id: \S/i)
    expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n')))).toMatchObject({
      error: 'REQUEST_TIMEOUT',
    })
  })
})

it('answers 503 with Retry-After when no connection for a large body becomes free', async () => {
  const large = { ...slow(0, '192.0.2.11'), path: '/gw/api/rest/orders' }
  const framing = `Content-Length: ${largeBytes}`
  for (let n = 0; n < 16; n++) await begin({ ...large, framing, body: '{' })
  const late = await begin({ ...large, framing, body: '{' })
  const text = await answerTo(late)
  expect(text).toMatch(/^HTTP\/1\.1 503 /)
  expect(text).toMatch(/Retry-After: \d+/)
})
