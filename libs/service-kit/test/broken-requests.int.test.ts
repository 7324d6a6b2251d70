import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from '@jest/globals'
import { openInternalServer } from '@surehook/service-kit/http/internal-server'
import { mount, Reply } from '@surehook/service-kit/http/mount'
import { silent } from '@surehook/testing/database'
import { createLogger } from '../src/telemetry/log.ts'
import { createMetrics } from '../src/telemetry/metrics.ts'
import { closeServers, getThing, id, putThing, serve } from './things.ts'

const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await closeServers()
})

const impatient = { headMs: 300, requestMs: 900, bodyMs: 20_000 }
const host = 'Host: x\r\n'
const getOf = (thing: string, headers = host) => `GET /things/${thing} HTTP/1.1\r\n${headers}\r\n`
const putOf = (body: string) =>
  `PUT /things/${id} HTTP/1.1\r\n${host}X-Project-Id: p\r\nContent-Type: application/json\r\n${body}`
const unfinishedBody = putOf('Content-Length: 99\r\n\r\n{')
const malformedBody = putOf('Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\nno chunk\r\n')

/** Serves things. Responses for the name `slow` wait for `finish`. */
async function serveSlowly(log = silent) {
  const slow = Promise.withResolvers<void>()
  const began = Promise.withResolvers<void>()
  const url = await serve(
    (router) => {
      mount(router, getThing, async ({ params }) => {
        if (params.id === 'slow') {
          began.resolve()
          await slow.promise
        }
        return new Reply({ id: params.id }, { ETag: '"1"' })
      })
      mount(router, putThing, ({ params, query }) => ({ id: params.id, limit: query.limit }))
    },
    { log, patience: impatient },
  )
  return { url, port: Number(new URL(url).port), began: began.promise, finish: slow.resolve }
}

async function open(port: number, bytes = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  await once(socket, 'connect')
  if (bytes !== '') socket.write(bytes)
  return socket
}

/** Resolves with all bytes from the server up to the end of the connection. */
const answerTo = async (port: number, bytes?: string) => text(await open(port, bytes))

const statusesIn = (answer: string) =>
  [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
const lastBodyOf = (answer: string) =>
  JSON.parse(answer.slice(answer.lastIndexOf('\r\n\r\n'))) as unknown

const late = { error: 'REQUEST_TIMEOUT', message: expect.stringContaining('in time') }
const malformed = { error: 'VALIDATION_ERROR', violations: [{ field: 'request' }] }

describe('a connection', () => {
  it('that never sent a byte closes silently', async () => {
    const { port } = await serveSlowly()
    expect(await answerTo(port)).toBe('')
  })

  it('that is idle between requests gets only their answers', async () => {
    const { port } = await serveSlowly()
    const socket = await open(port, getOf('1'))
    let answers = ''
    socket.on('data', (chunk) => {
      answers += chunk
    })
    // The server checks all connections at once, so it has checked this one as well.
    expect(await answerTo(port, 'GET / HTTP')).toContain('408')
    expect(await answerTo(port, 'GET / HTTP')).toContain('408')
    expect(statusesIn(answers)).toEqual([200])
    socket.write(getOf('2', `${host}Connection: close\r\n`))
    await once(socket, 'close')
    expect(statusesIn(answers)).toEqual([200, 200])
  })

  it.each([
    ['a head', 'GET / HTTP/1.1\r\nHost: x\r\n'],
    ['a body', unfinishedBody],
    ['a second head', `${getOf('1')}GET / HT`],
  ])('is answered 408 for %s that does not arrive', async (what, bytes) => {
    const { port } = await serveSlowly()
    const answer = await answerTo(port, bytes)
    expect(statusesIn(answer)).toEqual(what === 'a second head' ? [200, 408] : [408])
    expect(answer).toMatch(/\r\nConnection: close\r\n/)
    expect(answer).toMatch(/\r\nX-Request-Id: [0-9a-f-]{36}\r\n/)
    expect(lastBodyOf(answer)).toMatchObject(late)
  })

  it.each([
    ['malformed', 'no HTTP\r\n\r\n', 400, malformed],
    ['late', 'GET / HT', 408, late],
  ])('gets the answers of earlier requests before that of a %s one', async (...given) => {
    const [, bytes, status, body] = given
    const { port, began, finish } = await serveSlowly()
    const socket = await open(port, getOf('slow'))
    await began
    socket.write(bytes)
    const answer = text(socket)
    // By then the server has refused the other connection as well.
    await answerTo(port, bytes)
    await answerTo(port, bytes)
    finish()
    expect(statusesIn(await answer)).toEqual([200, status])
    expect(lastBodyOf(await answer)).toMatchObject(body)
  })

  it('serves no request after the refused one', async () => {
    const { port, began, finish } = await serveSlowly()
    const socket = await open(port, getOf('slow'))
    await began
    socket.write('GET /thi')
    await answerTo(port, 'GET / HT')
    await answerTo(port, 'GET / HT')
    socket.write(getOf('2').slice('GET /thi'.length))
    const answer = text(socket)
    finish()
    expect(statusesIn(await answer)).toEqual([200, 408])
  })

  it('is answered 400 for a body that is malformed, once, and it is logged as that', async () => {
    const lines: string[] = []
    const log = createLogger('test', 'info', { write: (line) => void lines.push(line) })
    const { port } = await serveSlowly(log)
    const answer = await answerTo(port, malformedBody)
    expect(statusesIn(answer)).toEqual([400])
    expect(answer).toMatch(/\r\nConnection: close\r\n/)
    expect(lastBodyOf(answer)).toMatchObject(malformed)
    const logged = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(logged).toMatchObject([{ msg: 'http.request', operation: 'putThing', status: 400 }])
  })

  it('is answered 400 for a malformed body that no handler reads, in place of the handler’s answer', async () => {
    const lines: string[] = []
    const log = createLogger('test', 'info', { write: (line) => void lines.push(line) })
    const { url, port, began, finish } = await serveSlowly(log)
    const bytes = `${getOf('slow', `${host}Transfer-Encoding: chunked\r\n`)}no chunk\r\n`
    const answer = await answerTo(port, bytes)
    await began
    finish()
    expect(statusesIn(answer)).toEqual([400])
    expect((await fetch(`${url}/things/1`)).status).toBe(200)
    expect(lines.join()).not.toContain('http.failed')
  })
})

const noHost = ['must be a host, perhaps with a port', 'invalid_format'] as const

describe('a request', () => {
  it.each([
    ['without Host', '', 'is required', 'required'],
    ['with two Hosts', `${host}${host}`, 'must be sent once', 'repeated'],
    ['with two names', 'Host: a b\r\n', ...noHost],
    ['with an address', 'Host: http://a/\r\n', ...noHost],
  ])('%s is refused in JSON', async (_what, headers, message, rule) => {
    const { port } = await serveSlowly()
    await using internal = await openInternalServer({
      ...{ port: 0, host: '127.0.0.1', log: silent, metrics: createMetrics('test') },
    })
    for (const listener of [port, internal.port]) {
      const answer = await answerTo(listener, getOf('1', `${headers}Connection: close\r\n`))
      expect(statusesIn(answer)).toEqual([400])
      expect(lastBodyOf(answer)).toEqual({
        error: 'VALIDATION_ERROR',
        message: 'The request is not valid',
        violations: [{ field: 'Host', message, rule }],
      })
    }
  })

  it.each(['a', 'a_b.example:443', '[::1]:80', '127.0.0.1', ''])('may be for %j', async (name) => {
    const { port } = await serveSlowly()
    const headers = `Host: ${name}\r\nConnection: close\r\n`
    expect(statusesIn(await answerTo(port, getOf('1', headers)))).toEqual([200])
  })

  it('of HTTP/1.0 needs no Host', async () => {
    const { port } = await serveSlowly()
    expect(statusesIn(await answerTo(port, 'GET /things/1 HTTP/1.0\r\n\r\n'))).toEqual([200])
  })
})
