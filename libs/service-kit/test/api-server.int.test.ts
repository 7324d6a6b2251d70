import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from '@jest/globals'
import { AppError } from '@surehook/service-kit/errors'
import { mount } from '@surehook/service-kit/http/mount'
import type { Router } from 'express'
import { createLogger } from '../src/telemetry/log.ts'
import { closeServers, getThing, id, open, serve, serveThings } from './things.ts'

afterEach(closeServers)

describe('the server', () => {
  it('serves HEAD, and lists the methods of a path', async () => {
    const url = await serveThings()
    expect((await fetch(`${url}/things/1`, { method: 'HEAD' })).status).toBe(200)
    for (const method of ['POST', 'OPTIONS', 'PATCH']) {
      const answer = await fetch(`${url}/things/1`, { method })
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'DELETE, GET, HEAD, PUT'])
      expect(await answer.json()).toMatchObject({ error: 'METHOD_NOT_ALLOWED' })
    }
    expect((await fetch(`${url}/other`)).status).toBe(404)
    expect((await fetch(`${url}/THINGS/1`)).status).toBe(404)
  })

  it.each(['%', '%ff', '%E0%A4%A'])('refuses the path /things/%s', async (path) => {
    const answer = await fetch(`${await serveThings()}/things/${path}`)
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { violations: [{ field: 'path' }] },
    ])
  })

  it('returns a request id with every answer: the caller’s if it is safe', async () => {
    const url = await serveThings()
    const idOf = async (path: string, sent?: string) => {
      const headers = sent === undefined ? {} : { 'X-Request-Id': sent }
      return (await fetch(url + path, { headers })).headers.get('x-request-id')
    }
    expect(await idOf('/things/1', 'mine-1.a_B')).toBe('mine-1.a_B')
    expect(await idOf('/nothing', 'mine')).toBe('mine')
    expect(await idOf('/things/1', 'not mine')).toMatch(/^[0-9a-f-]{36}$/)
    expect(await idOf('/things/1', 'x'.repeat(129))).toMatch(/^[0-9a-f-]{36}$/)
    expect(await idOf('/nothing')).toMatch(/^[0-9a-f-]{36}$/)
  })

  it.each(['/things/1', '/nothing', '/things/%'])('keeps browsers from %s', async (path) => {
    const { headers } = await fetch((await serveThings()) + path)
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    })
    expect(headers.has('x-powered-by')).toBe(false)
    expect(headers.has('strict-transport-security')).toBe(false)
  })

  it('ignores an unknown expectation', async () => {
    const url = await serveThings()
    const headers = { Expect: 'foo', 'X-Request-Id': 'mine' }
    const [res] = (await once(request(`${url}/things/1`, { headers }).end(), 'response')) as [
      IncomingMessage,
    ]
    expect([res.statusCode, res.headers['x-request-id']]).toEqual([200, 'mine'])
    expect(await text(res)).toBe('{"id":"1"}')
  })

  it('writes the ids of the request and of its trace into each of its lines', async () => {
    const lines: string[] = []
    const log = createLogger('test', 'info', { write: (line) => void lines.push(line) })
    const url = await serve(
      (router) => {
        mount(router, getThing, () => {
          throw new Error('broken')
        })
      },
      { log },
    )
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
    const headers = { 'X-Request-Id': 'mine', traceparent: `00-${traceId}-00f067aa0ba902b7-01` }
    await fetch(`${url}/things/1`, { headers })
    await fetch(`${url}/things/1`, { headers: { 'X-Request-Id': 'untraced' } })
    const logged = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    const ids = logged.map(({ msg, requestId, traceId: of }) => [msg, requestId, of])
    expect(ids).toEqual([
      ['http.failed', 'mine', traceId],
      ['http.request', 'mine', traceId],
      ['http.failed', 'untraced', undefined],
      ['http.request', 'untraced', undefined],
    ])
  })

  it('logs no part of a path that may be a secret', async () => {
    const lines: string[] = []
    const log = createLogger('test', 'info', { write: (line) => void lines.push(line) })
    const url = await serveThings(log)
    const paths = ['/things/SECRET', '/things/SECRET?q=SECRET', '/other/path/SECRET', '/other', '/']
    for (const path of paths) await fetch(url + path)
    await fetch(`${url}/things/SECRET`, { method: 'POST' })
    const logged = lines.map((line) => JSON.parse(line) as { msg: string; path: string })
    expect(logged.map(({ msg }) => msg)).toEqual(lines.map(() => 'http.request'))
    expect(logged.map(({ path }) => path)).toEqual([
      '/things/{id}',
      '/things/{id}',
      '/other/path',
      '/other',
      '/',
      '/things/{id}',
    ])
    expect(lines.join()).not.toContain('SECRET')
  })

  it.each([
    ['a bug', new TypeError('secret of the inside'), 500, 'INTERNAL_ERROR', null],
    ['a reply that is not as declared', 'reply', 500, 'INTERNAL_ERROR', null],
    [
      'a database that is away',
      Object.assign(new Error('connect 10.0.0.1'), { code: 'ECONNREFUSED' }),
      503,
      'SERVICE_UNAVAILABLE',
      '1',
    ],
    [
      'a wait that is known',
      new AppError('RATE_LIMIT_EXCEEDED', 'slow down', { retryAfterS: 2.5 }),
      429,
      'RATE_LIMIT_EXCEEDED',
      '3',
    ],
  ])(
    'answers %s without showing what broke inside',
    async (...[, thrown, status, error, retryAfter]) => {
      const url = await serve((router) => {
        mount(router, getThing, () => {
          if (thrown === 'reply') return { id: 7 } as unknown as { id: string }
          throw thrown as Error
        })
      })
      const answer = await fetch(`${url}/things/1`)
      const body = await answer.text()
      expect(answer.status).toBe(status)
      expect(JSON.parse(body)).toMatchObject({ error })
      expect(answer.headers.get('retry-after')).toBe(retryAfter)
      expect(body).not.toMatch(/secret|10\.0\.0\.1|connect|expected/)
    },
  )

  it.each([
    ['too long', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['no HTTP', 'HELLO\r\n\r\n'],
    [
      'of two lengths',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    ],
  ])('answers a request that is %s in its own form', async (_what, bytes) => {
    const { port } = new URL(await serve(() => {}))
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(bytes)
    const answer = await text(socket)
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    expect(answer).toMatch(/\r\nX-Request-Id: [0-9a-f-]{36}\r\n/)
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({
      error: 'VALIDATION_ERROR',
      violations: [{ field: 'request' }],
    })
  })

  describe('closing', () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    afterEach(() => agent.destroy())

    const get = async (url: string) => {
      const [res] = (await once(request(url, { agent }).end(), 'response')) as [IncomingMessage]
      return { status: res.statusCode, connection: res.headers.connection, body: await text(res) }
    }

    /** Closes a server while a request is in flight on a connection that the client keeps open. */
    async function closeInFlight(lingerMs: number) {
      const began = Promise.withResolvers<void>()
      const mayEnd = Promise.withResolvers<void>()
      const routes = (router: Router) =>
        mount(router, getThing, async ({ params }) => {
          began.resolve()
          await mayEnd.promise
          return { id: params.id }
        })
      const url = await serve(routes, { lingerMs })
      const answer = get(`${url}/things/1`)
      await began.promise
      const [server] = open.splice(0)
      const closed = server?.[Symbol.asyncDispose]()
      return { url, answer, closed, mayEnd }
    }

    it('finishes requests in flight, and accepts no new connection', async () => {
      const { url, answer, closed, mayEnd } = await closeInFlight(0)
      await expect(fetch(`${url}/things/2`)).rejects.toThrow()
      mayEnd.resolve()
      expect(await answer).toMatchObject({ status: 200, body: '{"id":"1"}' })
      // The server closes before the grace ends, although the client keeps its connection.
      await closed
    })

    it('answers one more request on a connection, then closes it', async () => {
      const { url, answer, closed, mayEnd } = await closeInFlight(60_000)
      const next = get(`${url}/things/2`)
      mayEnd.resolve()
      await answer
      expect(await next).toMatchObject({ status: 200, connection: 'close' })
      await closed
    })

    it('answers a request that was on its way on an idle connection, then closes it', async () => {
      // Longer than a test may take: only the response can end the connection.
      const url = await serveThings(undefined, 60_000)
      expect(await get(`${url}/things/1`)).toMatchObject({ status: 200, connection: 'keep-alive' })
      const [server] = open.splice(0)
      const closed = server?.[Symbol.asyncDispose]()
      await expect(fetch(`${url}/things/2`)).rejects.toThrow()
      expect(await get(`${url}/things/3`)).toMatchObject({ status: 200, connection: 'close' })
      await closed
    })
  })

  it('signals the handler when the client has gone', async () => {
    const leave = new AbortController()
    const gone = Promise.withResolvers<void>()
    const url = await serve((router) => {
      mount(router, getThing, async (_input, { signal }) => {
        signal.addEventListener('abort', () => gone.resolve())
        leave.abort()
        await gone.promise
        return { id: '' }
      })
    })
    await expect(fetch(`${url}/things/1`, { signal: leave.signal })).rejects.toThrow()
    await gone.promise
  })

  it('survives a client that leaves in the middle of its body', async () => {
    const url = new URL(await serveThings())
    const socket = connect(Number(url.port), url.hostname)
    await once(socket, 'connect')
    socket.write(
      `PUT /things/${id} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
    )
    socket.destroy()
    expect((await fetch(`${url.href}things/1`)).status).toBe(200)
  })
})
