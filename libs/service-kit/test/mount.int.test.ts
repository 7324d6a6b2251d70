import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from '@jest/globals'
import { AppError } from '@surehook/service-kit/errors'
import { mount, Reply, rawJson } from '@surehook/service-kit/http/mount'
import { closeServers, getThing, id, put, putThing, serve, serveThings, valid } from './things.ts'

afterEach(closeServers)

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
        { field: 'id', message: 'must be a UUID', rule: 'invalid_format' },
        { field: 'limit', message: 'must be at least 1', rule: 'too_small' },
        { field: 'page', message: 'is not a known field', rule: 'unrecognized' },
        {
          field: 'X-Project-Id',
          message: 'must have at least 1 character',
          rule: 'too_short',
        },
        {
          field: 'events.1',
          message: 'must be one of INSERT, UPDATE, DELETE',
          rule: 'invalid_value',
        },
        { field: 'url', message: 'must be a URL', rule: 'invalid_format' },
        { field: 'colour', message: 'is not a known field', rule: 'unrecognized' },
        { field: 'size', message: 'is not a known field', rule: 'unrecognized' },
      ],
    })
  })

  it.each([
    ['limit=%E9', ['limit']],
    ['limit=3%C3', ['limit']],
    ['limit=%EF%BF%BD%E9', ['limit']],
    ['limit=3&limit=%E9', ['limit']],
  ])('refuses the query %s by its parameter, because it is not UTF-8', async (query, fields) => {
    const answer = await put(await serveThings(), { path: `${id}?${query}` })
    const { violations } = (await answer.json()) as {
      violations: { field: string; rule: string }[]
    }
    const broken = violations.filter(({ rule }) => rule === 'invalid_text')
    expect([answer.status, broken.map(({ field }) => field)]).toEqual([400, fields])
  })

  it.each(['3%25', '%EF%BF%BD', '100%', '%zz', '%C3%A9'])(
    'reads the value %s of a query as text',
    async (value) => {
      const answer = await put(await serveThings(), { path: `${id}?limit=${value}` })
      expect(JSON.stringify(await answer.json())).not.toContain('invalid_text')
    },
  )

  const noObject = { field: 'body', message: 'must be an object', rule: 'invalid_type' }
  it.each([
    ['no body', '', { field: 'body', message: 'is required', rule: 'required' }],
    [
      'no JSON',
      '{"events":',
      { field: 'body', message: 'must be valid JSON', rule: 'invalid_json' },
    ],
    ['no object', '[]', noObject],
    ['null', 'null', noObject],
    [
      'broken UTF-8',
      Buffer.from('{"events":["\xff"]}', 'latin1'),
      { field: 'body', message: 'must be valid UTF-8', rule: 'invalid_text' },
    ],
    ['a missing field', '{}', { field: 'events', message: 'is required', rule: 'required' }],
    [
      'a wrong type',
      '{"events":"INSERT"}',
      { field: 'events', message: 'must be a list', rule: 'invalid_type' },
    ],
    [
      'an empty list',
      '{"events":[]}',
      { field: 'events', message: 'must have at least 1 element', rule: 'too_few' },
    ],
    [
      'a prototype',
      '{"events":["INSERT"],"__proto__":{"a":1}}',
      { field: '__proto__', message: 'is not an accepted field name', rule: 'invalid_name' },
    ],
    [
      'a hidden prototype',
      '{"events":["INSERT"],"extra":{"\\u005f_proto__":1}}',
      { field: 'extra.__proto__', message: 'is not an accepted field name' },
    ],
    [
      'a prototype with its letters escaped',
      '{"events":["INSERT"],"extra":{"__\\u0070roto__":1}}',
      { field: 'extra.__proto__', message: 'is not an accepted field name' },
    ],
    [
      'deep nesting',
      `{"extra":${'['.repeat(200)}${']'.repeat(200)}}`,
      { field: 'body', message: 'must not be nested deeper than 100 levels', rule: 'too_complex' },
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
    [415, { 'Content-Type': 'application/vnd.api+json' }],
    [415, { 'Content-Type': 'application/merge-patch+json' }],
    [415, { 'Content-Type': 'application/jsonx' }],
    [201, { 'Content-Type': 'Application/JSON ; v=1' }],
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
    const violation = { field: 'X-Project-Id', message: 'must be sent once', rule: 'repeated' }
    expect(await text(socket)).toContain(JSON.stringify(violation))
  })

  it('authorises before it validates the request, and passes the result on', async () => {
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

  it('may answer with its own headers and with JSON text', async () => {
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

  it('answers 304 without a body to a matching If-None-Match', async () => {
    const url = await serve((router) => {
      mount(router, getThing, ({ params }) => new Reply(params, { ETag: `"${params.id}"` }))
    })
    const statusFor = async (held: string) => {
      const answer = await fetch(`${url}/things/1`, { headers: { 'If-None-Match': held } })
      return [answer.status, await answer.text(), answer.headers.get('etag')]
    }
    for (const held of ['"1"', 'W/"1"', '"0", "1"', '*']) {
      expect([held, await statusFor(held)]).toEqual([held, [304, '', '"1"']])
    }
    for (const held of ['"2"', '1', '""']) {
      expect([held, await statusFor(held)]).toEqual([held, [200, '{"id":"1"}', '"1"']])
    }
  })

  it('ignores a body without a body schema', async () => {
    const url = await serveThings()
    const answer = await fetch(`${url}/things/1`, { method: 'DELETE', body: 'whatever' })
    expect([answer.status, await answer.text()]).toEqual([204, ''])
  })
})
