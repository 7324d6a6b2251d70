import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { type Stand, startStand } from './gateway.ts'
import { rawGet, rawRequest } from './raw-request.ts'
import type { SeenRequest } from './upstream.ts'

let stand: Stand

beforeAll(async () => {
  stand = await startStand()
})
afterAll(async () => {
  await stand[Symbol.asyncDispose]()
})
beforeEach(() => {
  stand.data.seen.length = 0
})

function onlyRequest({ data }: Stand): SeenRequest {
  expect(data.seen).toHaveLength(1)
  const [seen] = data.seen
  if (seen === undefined) throw new Error('nothing reached the upstream')
  return seen
}

describe('a request', () => {
  it('arrives with method, query, body and the headers of its sender', async () => {
    await fetch(`${stand.url}/gw/api/rest/orders?where=%7B%7D`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'X-Project-Id': 'p',
        Authorization: 'Bearer t',
      },
      body: '{"total":1}',
    })
    expect(onlyRequest(stand)).toMatchObject({
      method: 'POST',
      url: '/api/rest/orders?where=%7B%7D',
      body: '{"total":1}',
      headers: {
        'content-type': 'application/json',
        'content-length': '11',
        'x-project-id': 'p',
        authorization: 'Bearer t',
      },
    })
  })

  it('keeps a harmless request id, and gets one in place of any other', async () => {
    const send = (id: string) =>
      fetch(`${stand.url}/gw/api/rest/orders`, { headers: { 'X-Request-Id': id } })
    expect((await send('abc-1')).headers.get('x-request-id')).toBe('abc-1')
    const made = (await send('a b"c')).headers.get('x-request-id')
    expect(made).toMatch(/^[0-9a-f-]{36}$/)
    expect(stand.data.seen.map(({ headers }) => headers['x-request-id'])).toEqual(['abc-1', made])
  })

  it('loses hop-by-hop headers and those that only the gateway may set', async () => {
    await rawGet(
      stand.port,
      '/gw/api/rest/orders',
      [
        'Connection: X-Secret-Hop',
        'X-Secret-Hop: 1',
        'Keep-Alive: timeout=1',
        'TE: trailers',
        'Upgrade: h2c',
        'Proxy-Authorization: Basic x',
        'Forwarded: for=1.2.3.4',
        'X-Real-IP: 1.2.3.4',
        'X-Forwarded-For: 1.2.3.4',
        'X-Forwarded-Proto: https',
        'X-Forwarded-Host: evil.example',
        'X-Forwarded-User: root',
        'X-Internal-Project: p',
        '',
      ].join('\r\n'),
    )
    const { headers } = onlyRequest(stand)
    expect(Object.keys(headers).toSorted()).toEqual([
      'connection',
      'host',
      'x-forwarded-for',
      'x-forwarded-host',
      'x-forwarded-proto',
      'x-request-id',
    ])
    expect(headers).toMatchObject({
      connection: 'keep-alive',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': 'g',
    })
  })

  it('through a trusted proxy keeps the address that the proxy saw', async () => {
    await using behind = await startStand({ TRUSTED_PROXIES: '127.0.0.0/8, 10.1.0.0/16' })
    await fetch(`${behind.url}/gw/api/rest/orders`, {
      headers: {
        'X-Forwarded-For': '6.6.6.6, 203.0.113.9, 10.1.2.3',
        'X-Forwarded-Proto': 'https',
        'X-Forwarded-Host': 'api.example.com',
      },
    })
    expect(onlyRequest(behind).headers).toMatchObject({
      'x-forwarded-for': '203.0.113.9',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'api.example.com',
    })
  })

  it.each([
    ['203.0.113.9:4567', '203.0.113.9'],
    ['"[2001:db8::9]:4567", 10.1.2.3:80', '2001:db8::9'],
    ['[::ffff:203.0.113.9]:4567', '203.0.113.9'],
    ['203.0.113.9, unknown', '127.0.0.1'],
  ])('through a proxy that writes %s comes from %s', async (hops, client) => {
    await using behind = await startStand({ TRUSTED_PROXIES: '127.0.0.0/8, 10.1.0.0/16' })
    await fetch(`${behind.url}/gw/api/rest/orders`, { headers: { 'X-Forwarded-For': hops } })
    expect(onlyRequest(behind).headers['x-forwarded-for']).toBe(client)
  })
})

describe('a body', () => {
  const limit = 1024 * 1024
  const small = 1_000

  it('of exactly the limit passes', async () => {
    const answer = await fetch(`${stand.url}/gw/api/rest/orders`, {
      method: 'POST',
      body: 'x'.repeat(limit),
    })
    expect(answer.status).toBe(200)
    expect(onlyRequest(stand).body).toHaveLength(limit)
  })

  it('over the limit is 413 and the connection lives on', async () => {
    const answer = await fetch(`${stand.url}/gw/api/rest/orders`, {
      method: 'POST',
      body: 'x'.repeat(limit + 1),
    })
    expect(answer.status).toBe(413)
    expect(answer.headers.get('x-request-id')).toMatch(/./)
    expect(await answer.json()).toMatchObject({ error: 'PAYLOAD_TOO_LARGE' })
    expect(stand.data.seen).toEqual([])
    expect((await fetch(`${stand.url}/healthz`)).status).toBe(200)
  })

  it('over the limit without a Content-Length is 413 as soon as it is over', async () => {
    let sent = 0
    const endless = new ReadableStream({
      pull(controller) {
        sent += 65_536
        controller.enqueue(new Uint8Array(65_536))
        if (sent >= 8 * limit) controller.close()
      },
    })
    const answer = await fetch(`${stand.url}/gw/api/rest/orders`, {
      method: 'POST',
      body: endless,
      duplex: 'half',
    })
    expect(answer.status).toBe(413)
    expect(await answer.json()).toMatchObject({ error: 'PAYLOAD_TOO_LARGE' })
    expect(stand.data.seen).toEqual([])
  })

  it.each([
    ['over', small + 1, 413],
    ['at', small, 200],
  ])(
    '%s a limit below 64 KiB without a Content-Length is judged exactly',
    async (_, bytes, status) => {
      await using strict = await startStand({ GATEWAY_BODY_LIMIT_BYTES: String(small) })
      const answer = await fetch(`${strict.url}/gw/api/rest/orders`, {
        method: 'POST',
        body: new Blob(['x'.repeat(bytes)]).stream(),
        duplex: 'half',
      })
      expect(answer.status).toBe(status)
      expect(strict.data.seen).toHaveLength(status === 200 ? 1 : 0)
    },
  )

  it('without a Content-Length arrives whole', async () => {
    const answer = await fetch(`${stand.url}/gw/api/rest/orders`, {
      method: 'POST',
      body: new Blob(['{"a":', '1}']).stream(),
      duplex: 'half',
    })
    expect(answer.status).toBe(200)
    expect(onlyRequest(stand).body).toBe('{"a":1}')
  })

  it.each([
    ['both lengths', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n'],
    ['two lengths', 'Content-Length: 5\r\nContent-Length: 6\r\n'],
    ['a length that is none', 'Content-Length: -1\r\n'],
    ['an encoding we cannot pass on', 'Transfer-Encoding: gzip, chunked\r\n'],
  ])('framed with %s is refused', async (_what, headers) => {
    const head = `POST /gw/api/rest/orders HTTP/1.1\r\nHost: g\r\nConnection: close\r\n${headers}`
    const { status } = await rawRequest(stand.port, `${head}\r\n0\r\n\r\n`)
    expect(status).toBe(400)
    expect(stand.data.seen).toEqual([])
  })
})

describe('an answer', () => {
  it('comes back unchanged, without the hop-by-hop headers of the upstream', async () => {
    stand.webhooks.answer = (_req, res) => {
      res.writeHead(418, {
        'Content-Type': 'text/x-tea',
        'Set-Cookie': ['a=1', 'b=2'],
        'X-Request-Id': 'of-the-upstream',
        'Keep-Alive': 'timeout=1',
        'X-Own': 'kept',
      })
      res.write('tea')
      res.end('pot')
    }
    const answer = await rawGet(stand.port, '/gw/api/rest/_webhooks', 'X-Request-Id: mine\r\n')
    expect(answer.head).toMatch(/^HTTP\/1.1 418 /)
    expect(answer.head).toMatch(/X-Own: kept/)
    expect(answer.head.match(/Set-Cookie: \w=\d/g)).toEqual(['Set-Cookie: a=1', 'Set-Cookie: b=2'])
    expect(answer.head).toMatch(/X-Request-Id: mine/)
    expect(answer.head).not.toMatch(/of-the-upstream|Keep-Alive: timeout=1/)
  })

  it('to HEAD has no body, and 204 has none either', async () => {
    const head = await fetch(`${stand.url}/gw/api/rest/orders`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    stand.auth.answer = (_req, res) => void res.writeHead(204).end()
    const none = await fetch(`${stand.url}/auth/x`, { method: 'DELETE' })
    expect([none.status, await none.text()]).toEqual([204, ''])
  })
})
