import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { type Stand, startStand } from './gateway.ts'
import { rawRequest } from './raw-request.ts'

let stand: Stand

beforeAll(async () => {
  stand = await startStand()
})
afterAll(async () => {
  await stand[Symbol.asyncDispose]()
})

it.each([
  ['no Host', '', 'is required'],
  ['two Hosts', 'Host: a\r\nHost: b\r\n', 'must be sent once'],
])('refuses %s in JSON, and nobody behind it hears of that', async (_what, host, message) => {
  for (const path of ['/auth/login', '/gw/api/rest/orders', '/healthz', '/none']) {
    const request = `GET ${path} HTTP/1.1\r\n${host}Connection: close\r\n\r\n`
    const { status, head, body } = await rawRequest(stand.port, request)
    expect(status).toBe(400)
    expect(head).toMatch(/X-Request-Id: \S/i)
    expect(JSON.parse(body)).toMatchObject({
      error: 'VALIDATION_ERROR',
      violations: [{ field: 'Host', message }],
    })
  }
  expect([...stand.auth.seen, ...stand.data.seen]).toEqual([])
})

const chunked = 'POST /auth/login HTTP/1.1\r\nHost: g\r\nTransfer-Encoding: chunked\r\n\r\n'

it('refuses a small body that is malformed', async () => {
  const { status, body } = await rawRequest(stand.port, `${chunked}no chunk\r\n`)
  expect([status, JSON.parse(body)]).toMatchObject([400, { error: 'VALIDATION_ERROR' }])
  expect(stand.auth.seen).toEqual([])
})

it('refuses a large body that is malformed in the middle, and aborts it at the upstream', async () => {
  await using other = await startStand()
  const began = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<string>()
  other.auth.answer = (req) => {
    req.once('data', () => began.resolve())
    req.once('end', () => ended.resolve('whole'))
    req.once('error', () => ended.resolve('broken off'))
  }
  const client = connect(other.port, '127.0.0.1')
  // Larger than the spool limit.
  const large = 128 * 1024
  client.write(`${chunked}${large.toString(16)}\r\n${'x'.repeat(large)}\r\n`)
  await began.promise
  client.write('no chunk\r\n')
  expect(await text(client)).toMatch(/^HTTP\/1\.1 400 .*"VALIDATION_ERROR"/s)
  expect(await ended.promise).toBe('broken off')
})
