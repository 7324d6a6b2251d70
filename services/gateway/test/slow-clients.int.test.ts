import { once } from 'node:events'
import { describe, expect, it } from '@jest/globals'
import { pino } from 'pino'
import { type Stand, startStand } from './gateway.ts'
import { answerTo, openSlowClient, type SlowRequest } from './slow-client.ts'

const log = pino({ level: 'silent' })
const patience = { headMs: 15_000, requestMs: 60_000, bodyMs: 20_000 }

const startWith = (limits: Parameters<typeof startStand>[2]) =>
  startStand({ TRUSTED_PROXIES: '127.0.0.1' }, log, limits)

const chunked = { framing: 'Transfer-Encoding: chunked', body: '1\r\n{\r\n' }
const login = (client: string): SlowRequest => ({ path: '/auth/login', client, ...chunked })

async function post(stand: Stand, client: string): Promise<number> {
  const answer = await fetch(`${stand.url}/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': client },
    body: '{}',
  })
  await answer.text()
  return answer.status
}

describe('a body below the least rate', () => {
  it('is answered 408, and its connection closes', async () => {
    await using stand = await startWith({ patience: { ...patience, bodyMs: 1_000 } })
    using slow = openSlowClient(stand.port)
    const text = await answerTo(await slow.begin(login('192.0.2.1')))
    expect(text).toMatch(/^HTTP\/1\.1 408 /)
    expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n')))).toMatchObject({
      error: 'REQUEST_TIMEOUT',
    })
    expect(stand.auth.seen).toEqual([])
  })

  it('is not a body that takes as long but keeps the rate', async () => {
    await using stand = await startWith({ patience: { ...patience, bodyMs: 1_000 } })
    using slow = openSlowClient(stand.port)
    // It completes although another request, which started later, is ended for lack of bytes.
    const steady = await slow.begin({
      ...login('192.0.2.2'),
      framing: 'Connection: close\r\nTransfer-Encoding: chunked',
    })
    const drip = setInterval(() => steady.write(`400\r\n${'x'.repeat(1_024)}\r\n`), 20)
    const answered = answerTo(steady)
    try {
      const ended = await answerTo(await slow.begin(login('192.0.2.3')))
      expect(ended).toMatch(/^HTTP\/1\.1 408 /)
    } finally {
      clearInterval(drip)
    }
    steady.write('0\r\n\r\n')
    expect(await answered).toMatch(/^HTTP\/1\.1 200 /)
  })
})

describe('the memory for bodies that are still arriving', () => {
  const spool = { totalBytes: 200_000, clientBytes: 50_000 }
  const framing = 'Content-Length: 50000'
  const part = (client: string): SlowRequest => ({
    ...{ path: '/auth/login', client, framing },
    body: 'x'.repeat(40_000),
  })

  it('is limited per client: above the limit the client gets 503 with Retry-After', async () => {
    await using stand = await startWith({ spool })
    using slow = openSlowClient(stand.port)
    const both = [await slow.begin(part('192.0.2.1')), await slow.begin(part('192.0.2.1'))]
    const text = await Promise.race(both.map(answerTo))
    expect(text).toMatch(/^HTTP\/1\.1 503 /)
    expect(text).toMatch(/Retry-After: \d+/)
    expect(await post(stand, '192.0.2.2')).toBe(200)
  })

  it('is limited in all, and is freed when a client leaves', async () => {
    await using stand = await startWith({ spool })
    using slow = openSlowClient(stand.port)
    const clients = Array.from({ length: 6 }, (_, n) => `192.0.2.${n}`)
    const sockets = await Promise.all(clients.map((client) => slow.begin(part(client))))
    const text = await Promise.race(sockets.map(answerTo))
    expect(text).toMatch(/^HTTP\/1\.1 503 /)
    expect(text).toMatch(/Retry-After: \d+/)
    for (const socket of sockets) socket.destroy()
    for (const socket of sockets) if (!socket.closed) await once(socket, 'close')
    // The gateway notices a moment later. A body that needs the freed memory shows when.
    const answer = await fetch(`${stand.url}/auth/login`, {
      method: 'POST',
      headers: { 'X-Forwarded-For': '192.0.2.9', 'Content-Type': 'text/plain' },
      body: 'x'.repeat(45_000),
    })
    expect(answer.status).toBe(200)
  })
})

describe('a client that reads nothing of its answer', () => {
  it('is disconnected, which frees its connection to the upstream', async () => {
    await using stand = await startWith({ maxUnreadMs: 200 })
    using slow = openSlowClient(stand.port)
    const answered = new Promise<boolean>((resolve) => {
      stand.data.answer = (_req, res) => {
        res.once('close', () => resolve(res.writableFinished))
        res.end(Buffer.alloc(64 * 1024 * 1024))
      }
    })
    const socket = await slow.send('GET /gw/api/rest/orders HTTP/1.1\r\nHost: g\r\n\r\n')
    socket.pause()
    expect(await answered).toBe(false)
    const text = answerTo(socket)
    socket.resume()
    expect((await text).length).toBeLessThan(64 * 1024 * 1024)
  })
})

describe('1,030 slow bodies of one client', () => {
  it('do not block other clients or other requests of the same one', async () => {
    await using stand = await startWith({})
    using slow = openSlowClient(stand.port)
    const client = '192.0.2.1'
    await Promise.all(Array.from({ length: 1_030 }, () => slow.begin(login(client))))
    for (let n = 0; n < 10; n++) {
      expect(await post(stand, '198.51.100.1')).toBe(200)
      expect(await post(stand, client)).toBe(200)
    }
    expect(stand.auth.seen).toHaveLength(20)
  })
})

describe('200 large bodies of 12 clients that stand still', () => {
  it('give up their connections to clients that send', async () => {
    await using stand = await startWith({})
    using slow = openSlowClient(stand.port)
    const begun = { path: '/gw/api/rest/orders', framing: 'Content-Length: 900000' }
    const body = 'x'.repeat(70_000)
    const clients = Array.from({ length: 200 }, (_, n) => `192.0.2.${n % 12}`)
    await Promise.all(clients.map((client) => slow.begin({ ...begun, client, body })))
    for (let n = 0; n < 3; n++) {
      const answer = await fetch(`${stand.url}/gw/api/rest/orders`, {
        method: 'POST',
        headers: { 'X-Forwarded-For': '198.51.100.1' },
        body: 'x'.repeat(200_000),
      })
      expect(answer.status).toBe(200)
      await answer.arrayBuffer()
    }
  })
})

describe('half-sent heads', () => {
  const half = 'POST /auth/login HTTP/1.1\r\nHost: g\r\n'
  // An address that is no trusted proxy.
  const stranger = '127.0.0.2'

  it('of one address beyond 256 get 408, the oldest first', async () => {
    await using stand = await startWith({})
    using slow = openSlowClient(stand.port)
    const oldest = answerTo(await slow.send(half, stranger))
    const silent = answerTo(await slow.send('', stranger))
    await Promise.all(Array.from({ length: 300 }, () => slow.send(half, stranger)))
    expect(await oldest).toMatch(/^HTTP\/1\.1 408 /)
    expect(await silent).toBe('')
    expect(await post(stand, '198.51.100.1')).toBe(200)
    expect(slow.sockets.filter(({ closed }) => !closed).length).toBeGreaterThanOrEqual(256)
  })
})
