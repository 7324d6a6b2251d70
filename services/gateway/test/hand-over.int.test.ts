import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import {
  type ApiServerOptions,
  createApi,
  defaultBodyLimitBytes,
  serveApi,
} from '@surehook/service-kit/http/api-server'
import { readJsonBody } from '@surehook/service-kit/http/json-body'
import { sendJson } from '@surehook/service-kit/http/problem'
import { contextOf } from '@surehook/service-kit/http/request/request-context'
import { createServiceMetrics } from '@surehook/service-kit/telemetry/metrics'
import type { Router } from 'express'
import { pino } from 'pino'
import { compose } from '../src/compose.ts'
import { readConfig } from '../src/config.ts'
import { rawExchange, rawGet } from './raw-request.ts'

/** Larger than the buffers of a connection. */
const longText = 'x'.repeat(16_000_000)

/** The parts of a request that a service sees. */
type SeenRequest = {
  url: string
  headers: Record<string, string>
  distinct: Record<string, string[]>
  client: string
  body: { text?: string } | null
}

const opened = new AsyncDisposableStack()
let port: number
let url: string

const routes = (router: Router) => {
  router.all(/echo$/, (req, res, next) => {
    const { clientAddress: client, bodyLimitBytes } = contextOf(res)
    const { headers, headersDistinct: distinct, originalUrl } = req
    readJsonBody(req, { limitBytes: bodyLimitBytes }).then((body = null) => {
      sendJson(res, 200, JSON.stringify({ url: originalUrl, headers, distinct, client, body }))
    }, next)
  })
  router.get('/api/rest/silent', () => {})
  router.post('/api/rest/refused', (_req, res) => sendJson(res, 403, '{}'))
  router.get('/api/rest/long', (_req, res) => sendJson(res, 200, JSON.stringify(longText)))
}

beforeAll(async () => {
  const log = pino({ level: 'silent' })
  const options: ApiServerOptions = {
    ...{ port: 0, host: '127.0.0.1', log, routes, metrics: createServiceMetrics('test') },
    trustedProxies: readConfig({ ...env, TRUSTED_PROXIES: '0.0.0.0/0' }).trustedProxies,
  }
  // The same API twice: in this process, and over a connection.
  const api = createApi(options)
  const elsewhere = opened.use(await serveApi(api, options))
  const upstream = new URL(`http://127.0.0.1:${elsewhere.port}`)
  const upstreams = { auth: upstream, data: api, sources: upstream, webhooks: upstream }
  const gateway = opened.use(await compose({ ...readConfig(env), upstreams }, log))
  port = gateway.port
  url = `http://127.0.0.1:${port}`
})
afterAll(() => opened.disposeAsync())

const env = {
  PORT: '0',
  INTERNAL_PORT: '0',
  AUTH_SERVICE_URL: 'http://127.0.0.1',
  DATA_API_URL: 'http://127.0.0.1',
  POSTGRES_SOURCE_URL: 'http://127.0.0.1',
  WEBHOOK_API_URL: 'http://127.0.0.1',
  GATEWAY_UPSTREAM_TIMEOUT: '300ms',
}

async function seenBy(service: 'data' | 'webhooks', headers = ''): Promise<SeenRequest> {
  const path = service === 'data' ? 'echo' : '_webhooks/echo'
  const answer = await rawGet(port, `/gw/api/rest/${path}?a=1`, headers)
  return JSON.parse(answer.body) as SeenRequest
}

/** Headers of a connection, which do not exist in a single process. */
const ofConnection = ['host', 'connection', 'x-request-id']

const without = <T>(fields: Record<string, T>) =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !ofConnection.includes(name)))

describe('a service in the process of the gateway', () => {
  it('sees the same request as if it had been forwarded', async () => {
    const headers = [
      'X-Project-Id: p',
      'X-Internal-Role: admin',
      'X-Forwarded-For: 6.6.6.6',
      'X-Hop: 1',
      'Connection: X-Hop',
      'X-Twice: a',
      'X-Twice: b',
    ]
      .map((line) => `${line}\r\n`)
      .join('')
    const inside = await seenBy('data', headers)
    const forwarded = await seenBy('webhooks', headers)
    expect(inside.url).toBe('/api/rest/echo?a=1')
    expect(inside.client).toBe('127.0.0.1')
    expect(without(inside.headers)).toEqual(without(forwarded.headers))
    expect(without(inside.distinct)).toEqual(without(forwarded.distinct))
    expect(inside.distinct).toMatchObject({ 'x-project-id': ['p'], 'x-twice': ['a, b'] })
    expect(Object.keys(inside.distinct)).not.toContain('x-internal-role')
  })

  it.each([
    ['small', 10, false],
    ['small and chunked', 10, true],
    ['large', 200_000, false],
    ['large and chunked', 200_000, true],
  ])('gets a body that is %s', async (_what, length, chunked) => {
    const text = 'x'.repeat(length)
    const json = JSON.stringify({ text })
    const answer = await fetch(`${url}/gw/api/rest/echo`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: chunked ? new Blob([json]).stream() : json,
      duplex: 'half',
    } as RequestInit)
    expect(answer.status).toBe(200)
    expect(((await answer.json()) as SeenRequest).body?.text).toBe(text)
  })

  it('refuses a body above its limit that announced no length', async () => {
    const body = new Blob([JSON.stringify('x'.repeat(defaultBodyLimitBytes))]).stream()
    const answer = await fetch(`${url}/gw/api/rest/echo`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
      duplex: 'half',
    } as RequestInit)
    expect(answer.status).toBe(413)
  })

  it('keeps the connection usable after refusing an unread body', async () => {
    const chunk = `${(100_000).toString(16)}\r\n${'x'.repeat(100_000)}\r\n`
    const head = 'Host: h\r\nTransfer-Encoding: chunked\r\n\r\n'
    const first = `POST /gw/api/rest/refused HTTP/1.1\r\n${head}${chunk.repeat(3)}0\r\n\r\n`
    const second = 'GET /gw/api/rest/echo HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n'
    const answers = await rawExchange(port, first + second)
    expect(answers.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 403', 'HTTP/1.1 200'])
  })

  it('disconnects a client that reads its answer too slowly', async () => {
    const socket = connect(port, '127.0.0.1')
    socket.write('GET /gw/api/rest/long HTTP/1.1\r\nHost: h\r\n\r\n')
    let received = 0
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.on('error', () => undefined)
    // Reads a few bytes now and then, so that the connection never looks idle.
    socket.on('data', (bytes) => {
      received += bytes.length
      socket.pause()
      setTimeout(() => socket.resume(), 20)
    })
    await closed
    expect(received).toBeLessThan(longText.length)
  })

  it('frees its slot with each answer', async () => {
    // One client may have 512 requests in progress.
    for (let nth = 0; nth < 520; nth++) {
      const answer = await fetch(`${url}/gw/api/rest/echo`)
      await answer.arrayBuffer()
      expect(answer.status).toBe(200)
    }
  })

  it('is disconnected if it does not answer', async () => {
    await expect(fetch(`${url}/gw/api/rest/silent`)).rejects.toThrow('fetch failed')
  })
})
