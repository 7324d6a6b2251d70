import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from '@jest/globals'
import { defineOperation } from '@surehook/contracts/operation'
import { AppError } from '@surehook/service-kit/errors'
import { type ApiServer, openApiServer } from '@surehook/service-kit/http/api-server'
import { mount, Reply, rawJson } from '@surehook/service-kit/http/mount'
import { createMetrics } from '@surehook/service-kit/metrics'
import type { Router } from 'express'
import * as z from 'zod'
import { silent } from './database.ts'

const common = { tag: 't', security: 'none', summary: 's', errors: [] } as const

const putThing = defineOperation({
  ...common,
  id: 'putThing',
  method: 'put',
  path: '/things/{id}',
  params: z.object({ id: z.uuid() }),
  query: z.strictObject({ limit: z.coerce.number().int().min(1).max(10).default(5) }),
  headers: z.object({ 'x-project-id': z.string().min(1), environment: z.string().optional() }),
  body: z.strictObject({
    events: z.array(z.enum(['INSERT', 'UPDATE', 'DELETE'])).min(1),
    url: z.url().optional(),
    extra: z.record(z.string(), z.unknown()).optional(),
  }),
  reply: { status: 201, schema: z.object({ id: z.string(), limit: z.number() }) },
})
const getThing = defineOperation({
  ...common,
  id: 'getThing',
  method: 'get',
  path: '/things/{id}',
  params: z.object({ id: z.string() }),
  reply: { status: 200, schema: z.object({ id: z.string() }) },
})
const deleteThing = defineOperation({
  ...common,
  id: 'deleteThing',
  method: 'delete',
  path: '/things/{id}',
  params: z.object({ id: z.string() }),
  reply: { status: 204, schema: z.void() },
})

const open: ApiServer[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server[Symbol.asyncDispose]()))
})

async function serve(routes: (router: Router) => void, bodyLimitBytes = 1_000): Promise<string> {
  const metrics = createMetrics('test')
  const options = { port: 0, host: '127.0.0.1', log: silent, metrics, routes, bodyLimitBytes }
  const server = await openApiServer(options)
  open.push(server)
  return `http://127.0.0.1:${server.port}`
}

const id = '0198c7a2-1111-7111-8111-111111111111'
const valid = { events: ['INSERT'] }

function serveThings(): Promise<string> {
  return serve((router) => {
    mount(router, putThing, ({ params, query }) => {
      const kept = { id: params.id, limit: query.limit }
      return { ...kept, secret: 'never' }
    })
    mount(router, getThing, ({ params }) => ({ id: params.id }))
    mount(router, deleteThing, () => undefined)
  })
}

type PutOptions = {
  path?: string
  headers?: Record<string, string>
  body?: string | Buffer<ArrayBuffer>
}

function put(url: string, { path = id, headers = {}, body = JSON.stringify(valid) }: PutOptions) {
  return fetch(`${url}/things/${path}`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json', 'X-Project-Id': 'p', ...headers },
    body,
  })
}

describe('an operation', () => {
  it('answers what its reply schema declares and nothing else', async () => {
    const answer = await put(await serveThings(), { path: `${id}?limit=3` })
    expect([answer.status, await answer.json()]).toEqual([201, { id, limit: 3 }])
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  it('names every fault of every part of the request at once', async () => {
    const body = { events: ['INSERT', 'X'], url: 'no', colour: 'red', size: 1 }
    const answer = await put(await serveThings(), {
      path: '1?limit=0&page=2',
      headers: { 'X-Project-Id': '' },
      body: JSON.stringify(body),
    })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toEqual({
      error: 'VALIDATION_ERROR',
      message: expect.any(String),
      violations: [
        { field: 'id', message: 'must be a UUID' },
        { field: 'limit', message: 'must be at least 1' },
        { field: 'page', message: 'is not a known field' },
        { field: 'X-Project-Id', message: 'must have at least 1 character' },
        { field: 'events.1', message: 'must be one of INSERT, UPDATE, DELETE' },
        { field: 'url', message: 'must be a URL' },
        { field: 'colour', message: 'is not a known field' },
        { field: 'size', message: 'is not a known field' },
      ],
    })
  })

  it.each([
    ['no body', '', { field: 'body', message: 'is required' }],
    ['no JSON', '{"events":', { field: 'body', message: 'must be valid JSON' }],
    ['no object', '[]', { field: 'body', message: 'must be an object' }],
    ['null', 'null', { field: 'body', message: 'must be an object' }],
    [
      'broken UTF-8',
      Buffer.from('{"events":["\xff"]}', 'latin1'),
      { field: 'body', message: 'must be valid UTF-8' },
    ],
    ['a missing field', '{}', { field: 'events', message: 'is required' }],
    ['a wrong type', '{"events":"INSERT"}', { field: 'events', message: 'must be a list' }],
    [
      'an empty list',
      '{"events":[]}',
      { field: 'events', message: 'must have at least 1 element' },
    ],
    [
      'a prototype',
      '{"events":["INSERT"],"__proto__":{"a":1}}',
      { field: '__proto__', message: 'is not an accepted field name' },
    ],
    [
      'a hidden prototype',
      '{"events":["INSERT"],"extra":{"\\u005f_proto__":1}}',
      { field: 'extra.__proto__', message: 'is not an accepted field name' },
    ],
    [
      'deep nesting',
      `{"extra":${'['.repeat(200)}${']'.repeat(200)}}`,
      { field: 'body', message: 'must not be nested deeper than 100 levels' },
    ],
  ])('refuses a body with %s', async (_what, body, violation) => {
    const answer = await put(await serveThings(), { body })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({
      error: 'VALIDATION_ERROR',
      violations: [violation],
    })
  })

  it.each([
    [415, { 'Content-Type': 'text/plain' }],
    [415, { 'Content-Type': 'application/json; charset=latin1' }],
    [415, { 'Content-Encoding': 'gzip' }],
    [201, { 'Content-Type': 'application/json; charset="UTF-8"' }],
    [201, { 'Content-Type': 'application/merge-patch+json' }],
  ])('answers %i to a body sent with %j', async (status, headers) => {
    const answer = await put(await serveThings(), { headers })
    expect(answer.status).toBe(status)
    if (status === 415) {
      expect(await answer.json()).toMatchObject({ error: 'UNSUPPORTED_MEDIA_TYPE' })
    }
  })

  it.each([
    ['with a length', () => JSON.stringify({ ...valid, extra: { a: 'x'.repeat(1_000) } })],
    ['without one', () => new Blob(['{"a":"', 'x'.repeat(200_000)]).stream()],
  ])('refuses a body over the limit %s', async (_what, body) => {
    const answer = await fetch(`${await serveThings()}/things/${id}`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json', 'X-Project-Id': 'p' },
      body: body(),
      duplex: 'half',
    })
    expect([answer.status, await answer.json()]).toMatchObject([
      413,
      { error: 'PAYLOAD_TOO_LARGE' },
    ])
  })

  it('refuses a header that is sent twice', async () => {
    const url = new URL(await serveThings())
    const socket = connect(Number(url.port), url.hostname)
    await once(socket, 'connect')
    const body = JSON.stringify(valid)
    socket.write(
      `PUT /things/${id} HTTP/1.1\r\nHost: a\r\nX-Project-Id: p\r\nX-Project-Id: q\r\nConnection: close\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    expect(await text(socket)).toContain('{"field":"X-Project-Id","message":"must be sent once"}')
  })

  it('authorises before it looks at the request, and hands on what that found', async () => {
    const url = await serve((router) => {
      mount(router, putThing, {
        authorize: ({ req }) => {
          if (req.headers.authorization !== 'Bearer t') throw new AppError('ADMIN_TOKEN_INVALID')
          return { limit: 9 }
        },
        handle: ({ params }, { auth }) => ({ id: params.id, limit: auth.limit }),
      })
    })
    const refused = await put(url, { path: 'x', body: '{' })
    expect([refused.status, await refused.json()]).toEqual([401, { error: 'ADMIN_TOKEN_INVALID' }])
    expect(refused.headers.get('www-authenticate')).toBe('Bearer')
    const let_in = await put(url, { headers: { Authorization: 'Bearer t' } })
    expect(await let_in.json()).toEqual({ id, limit: 9 })
  })

  it('may answer with headers of its own and with JSON text as it is', async () => {
    const url = await serve((router) => {
      mount(
        router,
        getThing,
        () => new Reply(rawJson('{"id":12345678901234567890}'), { ETag: '"1"' }),
      )
    })
    const answer = await fetch(`${url}/things/1`)
    expect(answer.headers.get('etag')).toBe('"1"')
    expect(await answer.text()).toBe('{"id":12345678901234567890}')
  })

  it('without a body schema does not mind a body', async () => {
    const url = await serveThings()
    const answer = await fetch(`${url}/things/1`, { method: 'DELETE', body: 'whatever' })
    expect([answer.status, await answer.text()]).toEqual([204, ''])
  })
})

describe('the server', () => {
  it('knows HEAD, and says which methods a path has', async () => {
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

  it('tells the request id of every answer, the caller’s when it is harmless', async () => {
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
    'answers %s without telling what broke inside',
    async (_what, thrown, status, error, retryAfter) => {
      const url = await serve((router) => {
        mount(router, getThing, () => {
          if (thrown === 'reply') return { id: 7 } as unknown as { id: string }
          throw thrown
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

  it('lets what it has begun finish when it closes, and keeps no connection open', async () => {
    const began = Promise.withResolvers<void>()
    const mayEnd = Promise.withResolvers<void>()
    const url = await serve((router) => {
      mount(router, getThing, async ({ params }) => {
        began.resolve()
        await mayEnd.promise
        return { id: params.id }
      })
    })
    const answer = fetch(`${url}/things/1`)
    await began.promise
    const [server] = open.splice(0)
    const closed = server?.[Symbol.asyncDispose]()
    await expect(fetch(`${url}/things/2`)).rejects.toThrow()
    mayEnd.resolve()
    expect((await answer).status).toBe(200)
    await closed
  })

  it('tells the handler when the client has gone', async () => {
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
