import { once } from 'node:events'
import { createServer, type RequestListener, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener, serve } from '@hono/node-server'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { payload, type SignedRequest, secret, signedRequest } from '../../test/signed-request.ts'
import type { WebhookEvent } from '../event.ts'
import type { ReceiverOptions } from '../receiver.ts'
import { expressReceiver } from './express.ts'
import { fastifyReceiver } from './fastify.ts'
import { fetchReceiver } from './fetch.ts'
import { honoReceiver } from './hono.ts'
import { nextReceiver } from './next.ts'

type Order = { id: string; note: string }
type Options = ReceiverOptions<Order>
type TestServer = { port: number; close(): Promise<void> }

/** The library would otherwise replace `Request` and `Response` with its own. */
const plain = { overrideGlobalObjects: false }

type Listener = (...args: Parameters<RequestListener>) => unknown

async function listen(listener: Listener): Promise<TestServer> {
  const server = createServer((req, res) => void listener(req, res)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** The answer of a route beside the receiver that parses JSON. */
const echo = (body: unknown) => ({ parsed: body })

function openExpress(options: Options): Promise<TestServer> {
  const app = express()
  app.post('/hooks', expressReceiver(options))
  app.use(express.json())
  app.post('/json', (req, res) => void res.json(echo(req.body)))
  return listen(app)
}

async function openFastify(options: Options): Promise<TestServer> {
  const app = Fastify()
  app.register(fastifyReceiver('/hooks', options))
  app.post('/json', async ({ body }) => echo(body))
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { port: (app.server.address() as AddressInfo).port, close: async () => app.close() }
}

async function openHono(options: Options): Promise<TestServer> {
  const app = new Hono()
  app.post('/hooks', honoReceiver(options))
  app.post('/json', async (context) => context.json(echo(await context.req.json())))
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1', ...plain })
  await once(server, 'listening')
  const close = async () => {
    server.close()
    if ('closeAllConnections' in server) server.closeAllConnections()
    await once(server, 'close')
  }
  return { port: (server.address() as AddressInfo).port, close }
}

/** The example with Next.js tests the receiver in a real route handler. */
function openNext(options: Options): Promise<TestServer> {
  const routes: Record<string, (req: Request) => Promise<Response>> = {
    '/hooks': nextReceiver(options),
    '/json': async (req) => Response.json(echo(await req.json())),
  }
  const handle = async (req: Request) => {
    const { pathname } = new URL(req.url)
    return (await routes[pathname]?.(req)) ?? new Response(null, { status: 404 })
  }
  return listen(getRequestListener(handle, plain))
}

function openFetch(options: Options): Promise<TestServer> {
  const receive = fetchReceiver(options)
  const handle = async (req: Request) =>
    req.url.endsWith('/hooks') ? receive(req) : Response.json(echo(await req.json()))
  return listen(getRequestListener(handle, plain))
}

type TestAnswer = { status: number; text: string; allow: string | undefined }

async function send(
  { port }: TestServer,
  { headers, body }: { headers: Record<string, string>; body: string | Buffer },
  { method = 'POST', path = '/hooks' } = {},
): Promise<TestAnswer> {
  const req = request({ port, host: '127.0.0.1', method, path, headers, agent: false })
  req.end(body)
  const [res] = await once(req, 'response')
  let text = ''
  for await (const chunk of res.setEncoding('utf8')) text += chunk
  return { status: res.statusCode, text, allow: res.headers.allow }
}

describe.each([
  { name: 'Express', open: openExpress },
  { name: 'Fastify', open: openFastify },
  { name: 'Hono', open: openHono },
  { name: 'Next.js', open: openNext },
  { name: 'fetch', open: openFetch },
])('the receiver of $name', ({ open }) => {
  let served: TestServer
  let fails = false
  const events: WebhookEvent<Order>[] = []
  const errors: unknown[] = []

  beforeAll(async () => {
    served = await open({
      secrets: ['an old one', secret],
      maxBodyBytes: 4_000,
      onError: (err) => errors.push(err),
      async onEvent(event) {
        if (fails) throw new Error('down')
        events.push(event)
      },
    })
  })
  afterAll(() => served.close())

  it('handles the raw body of a delivery', async () => {
    // Parsed and written again, this text would have another signature.
    const spaced = signedRequest({ body: JSON.stringify(payload, null, 3) })
    expect(await send(served, spaced)).toEqual({ status: 204, text: '', allow: undefined })
    const [event] = events.splice(0)
    if (event?.operation !== 'UPDATE') throw new Error('no update')
    const [field]: readonly ('id' | 'note' | undefined)[] = event.changedFields
    expect([field, event.record.note]).toEqual(['note', 'ä 😀'])
  })

  it('refuses other deliveries, with a reason', async () => {
    const { headers, body } = signedRequest()
    const cases: [SignedRequest, number, string][] = [
      [
        { headers, body: Buffer.from(body.toString().replace('ä', 'a')) },
        401,
        'signature_mismatch',
      ],
      [signedRequest({ ageS: 310 }), 401, 'timestamp_too_old'],
      [{ headers: { 'content-type': 'application/json' }, body }, 401, 'missing_headers'],
      [signedRequest({ body: '{}' }), 400, 'invalid_body'],
      [{ headers, body: Buffer.alloc(0) }, 401, 'signature_mismatch'],
    ]
    for (const [sent, status, error] of cases) {
      const answer = await send(served, sent)
      expect(answer).toMatchObject({ status, text: expect.stringContaining(`"error":"${error}"`) })
      expect(answer.text).not.toContain(secret)
    }
    expect({ events, errors }).toEqual({ events: [], errors: [] })
  })

  it('answers 413 to a body beyond the limit, with and without a length', async () => {
    const { headers } = signedRequest()
    const body = Buffer.alloc(100_000, 'x')
    expect((await send(served, { headers, body })).status).toBe(413)
    const chunked = { ...headers, 'transfer-encoding': 'chunked' }
    expect((await send(served, { headers: chunked, body })).status).toBe(413)
  })

  it('answers 413 before the end of a body that has no end', async () => {
    const { headers } = signedRequest()
    const to = { port: served.port, host: '127.0.0.1', path: '/hooks', agent: false }
    const req = request({ ...to, method: 'POST', headers })
    req.on('error', () => {})
    req.write(Buffer.alloc(5_000, 'x'))
    const [res] = await once(req, 'response')
    req.destroy()
    expect(res.statusCode).toBe(413)
  })

  it('answers 500 when the handler fails', async () => {
    fails = true
    expect((await send(served, signedRequest())).status).toBe(500)
    fails = false
    expect(errors.splice(0)).toMatchObject([{ message: 'down' }])
    expect((await send(served, signedRequest())).status).toBe(204)
    events.splice(0)
  })

  it('leaves other routes as they are', async () => {
    const headers = { 'content-type': 'application/json' }
    const answer = await send(served, { headers, body: '{"a":1}' }, { path: '/json' })
    expect(JSON.parse(answer.text)).toEqual({ parsed: { a: 1 } })
  })

  it('handles nothing that is not a POST', async () => {
    const answer = await send(served, signedRequest(), { method: 'PUT' })
    expect([404, 405]).toContain(answer.status)
    expect({ events, errors }).toEqual({ events: [], errors: [] })
  })
})

describe('a body that something has read before', () => {
  const errors: unknown[] = []
  const bodies: string[] = []
  const options: Options = {
    secrets: secret,
    onError: (err) => errors.push(err),
    onEvent: (_event, { body }) => void bodies.push(body),
  }

  async function answerOf(opening: Promise<TestServer>): Promise<TestAnswer> {
    const served = await opening
    try {
      return await send(served, signedRequest())
    } finally {
      await served.close()
    }
  }

  function expressBehind(parser: express.RequestHandler): Promise<TestServer> {
    const app = express()
    app.use(parser)
    app.post('/hooks', expressReceiver(options))
    return listen(app)
  }

  it('makes the receiver of Express say what to do', async () => {
    const answer = await answerOf(expressBehind(express.json()))
    expect(answer.status).toBe(500)
    expect(JSON.parse(answer.text)).toEqual({
      error: 'body_already_parsed',
      message: expect.stringContaining('before app.use(express.json())'),
    })
    expect(errors.splice(0)).toMatchObject([{ code: 'body_already_parsed' }])
  })

  it.each([
    ['express.raw()', express.raw({ type: () => true })],
    ['express.text()', express.text({ type: () => true })],
    [
      'express.json() that keeps the bytes',
      express.json({ verify: (req, _res, bytes) => Object.assign(req, { rawBody: bytes }) }),
    ],
  ])('is there after %s', async (_name, parser) => {
    expect((await answerOf(expressBehind(parser))).status).toBe(204)
    expect(bodies.splice(0)).toEqual([JSON.stringify(payload)])
  })

  it('is there after a middleware of Hono', async () => {
    const app = new Hono()
    app.use(async ({ req }, next) => {
      await req.json()
      await next()
    })
    app.post('/hooks', honoReceiver(options))
    expect((await answerOf(listen(getRequestListener(app.fetch, plain)))).status).toBe(204)
  })

  it('makes the receiver of fetch say what to do', async () => {
    const receive = fetchReceiver(options)
    const handle = async (req: Request) => {
      await req.text()
      return receive(req)
    }
    const answer = await answerOf(listen(getRequestListener(handle, plain)))
    expect(answer).toMatchObject({ status: 500, text: expect.stringContaining('request.clone()') })
  })

  it('makes the receiver of Fastify say what to do', async () => {
    const app = Fastify()
    app.addHook('preValidation', async (req) => {
      req.body = JSON.parse(String(req.body))
    })
    await app.register(fastifyReceiver('/hooks', options))
    await app.listen({ port: 0, host: '127.0.0.1' })
    const port = (app.server.address() as AddressInfo).port
    const answer = await answerOf(Promise.resolve({ port, close: async () => app.close() }))
    expect(answer).toMatchObject({ status: 500, text: expect.stringContaining('hook') })
  })
})
