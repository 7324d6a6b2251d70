import { inspect } from 'node:util'
import { expect, it } from '@jest/globals'
import {
  ConflictError,
  ConnectionError,
  RateLimitError,
  ServerError,
  Surehook,
  SurehookError,
  type SurehookOptions,
  TimeoutError,
  ValidationError,
} from './index.ts'

const token = 'mt_secret'
type SentRequest = { url: string; method: string; headers: Record<string, string>; body: unknown }

/** A client whose requests get one answer after the other: an error is a lost connection. */
function clientOf(answers: (Response | Error)[], options: Partial<SurehookOptions> = {}) {
  const sent: SentRequest[] = []
  const fetch = async (url: unknown, init: RequestInit = {}) => {
    const headers = Object.fromEntries(new Headers(init.headers))
    const body: unknown = typeof init.body === 'string' ? JSON.parse(init.body) : undefined
    sent.push({ url: String(url), method: init.method ?? '', headers, body })
    const answer = answers.shift() ?? new Error('no answer is left')
    if (answer instanceof Error) throw answer
    return answer
  }
  const given = { baseUrl: 'https://hooks.example/', projectId: 'shop', token, fetch, ...options }
  return { surehook: new Surehook(given), sent }
}

const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers })
const away = () => json(503, { error: 'SERVICE_UNAVAILABLE' }, { 'retry-after': '0' })
const lost = () => new TypeError('fetch failed')
const failureOf = (call: Promise<unknown>) => call.then(expect, (error: unknown) => error)

it('repeats a write with the same idempotency key and request id', async () => {
  const { surehook, sent } = clientOf([away(), lost(), json(201, { id: '1' })])
  expect(await surehook.table('orders').create({ n: 1 })).toEqual({ id: '1' })
  expect(sent).toHaveLength(3)
  expect(new Set(sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
  expect(new Set(sent.map(({ headers }) => headers['x-request-id'])).size).toBe(1)
  expect(sent[0]).toMatchObject({
    url: 'https://hooks.example/gw/api/rest/orders',
    headers: { authorization: `Bearer ${token}`, 'x-project-id': 'shop', environment: 'master' },
    body: { n: 1 },
  })
})

it('sends the key of the caller', async () => {
  const { surehook, sent } = clientOf([json(202, { deliveryId: 'd' })])
  await surehook.deliveries.redeliver('w', 'd', { idempotencyKey: 'mine' })
  expect(sent[0]?.headers['idempotency-key']).toBe('mine')
})

it('repeats published changes with the same ids', async () => {
  const { surehook, sent } = clientOf([lost(), json(202, { ids: ['x'] })])
  await surehook.changes.publish({ table: 't', event: 'INSERT', recordId: '1', record: {} })
  expect(sent[0]?.body).toEqual([expect.objectContaining({ id: expect.any(String) })])
  expect(sent[0]?.body).toEqual(sent[1]?.body)
})

it('does not repeat a call that may have happened and has no key', async () => {
  const { surehook, sent } = clientOf([away()])
  const error = await failureOf(surehook.admin.tokens.create({ name: 'ci' }))
  expect(error).toBeInstanceOf(ServerError)
  expect(sent).toHaveLength(1)
})

it('repeats any call after a 429, and stops after maxRetries', async () => {
  const limited = () => json(429, { error: 'RATE_LIMIT_EXCEEDED' }, { 'retry-after': '0' })
  const { surehook, sent } = clientOf([limited(), limited()], { maxRetries: 1 })
  const error = await failureOf(surehook.admin.tokens.create({ name: 'ci' }))
  expect(error).toBeInstanceOf(RateLimitError)
  expect(error).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', status: 429, retryAfter: 0 })
  expect(sent).toHaveLength(2)
})

it('leaves a long Retry-After to the caller', async () => {
  const limited = json(429, { error: 'RATE_LIMIT_EXCEEDED' }, { 'retry-after': '900' })
  const { surehook, sent } = clientOf([limited])
  expect(await failureOf(surehook.webhooks.list())).toMatchObject({ retryAfter: 900 })
  expect(sent).toHaveLength(1)
})

it('a repeated DELETE that finds nothing is done', async () => {
  const missing = () => json(404, { error: 'WEBHOOK_NOT_FOUND' })
  const repeated = clientOf([lost(), missing()])
  expect(await repeated.surehook.webhooks.delete('w')).toBeUndefined()
  const first = clientOf([missing()])
  expect(await failureOf(first.surehook.webhooks.delete('w'))).toMatchObject({ status: 404 })
})

it('a repeated deletion of a project that finds nothing tells that no environment is left', async () => {
  const missing = json(404, { error: 'NOT_FOUND' })
  const { surehook } = clientOf([lost(), missing])
  expect(await surehook.admin.projects.delete('shop')).toEqual({ id: 'shop', environments: [] })
})

it('a repeated deletion whose answer is lost for good is an error', async () => {
  const missing = json(404, { error: 'ENVIRONMENT_NOT_FOUND' })
  const { surehook } = clientOf([lost(), missing])
  const error = await failureOf(surehook.admin.environments.delete())
  expect(error).toMatchObject({ code: 'ENVIRONMENT_NOT_FOUND' })
})

it('an error has the code, the faults and the request id', async () => {
  const violations = [{ field: 'url', message: 'must be https' }]
  const answer = json(400, { error: 'VALIDATION_ERROR', violations }, { 'x-request-id': 'r1' })
  const error = await failureOf(clientOf([answer]).surehook.webhooks.get('w'))
  expect(error).toBeInstanceOf(ValidationError)
  expect(error).toMatchObject({
    code: 'VALIDATION_ERROR',
    status: 400,
    requestId: 'r1',
    violations,
  })
  expect(String(error)).toBe(
    'ValidationError: VALIDATION_ERROR: url must be https (status 400, request r1)',
  )
})

it.each([
  ['a proxy', new Response('<h1>Bad gateway</h1>', { status: 500 }), ServerError],
  ['another server', new Response('<h1>Welcome</h1>'), SurehookError],
])('an answer of %s is an error with the id that was sent', async (_, answer, type) => {
  const { surehook, sent } = clientOf([answer])
  const error = await failureOf(surehook.webhooks.list())
  expect(error).toBeInstanceOf(type)
  const requestId = sent[0]?.headers['x-request-id']
  expect(error).toMatchObject({ code: 'UNEXPECTED_RESPONSE', requestId })
})

/** Never answers: rejects only when the client gives up. */
const silent: typeof globalThis.fetch = (_, init) =>
  new Promise((_resolve, reject) => {
    const { signal } = init ?? {}
    if (signal?.aborted) reject(signal.reason)
    signal?.addEventListener('abort', () => reject(signal.reason))
  })

it('gives up after the timeout', async () => {
  const { surehook } = clientOf([], { fetch: silent, timeout: 5, maxRetries: 0 })
  const error = await failureOf(surehook.webhooks.list())
  expect(error).toBeInstanceOf(TimeoutError)
  expect(error).toBeInstanceOf(ConnectionError)
})

it.each(['before the call', 'during an attempt', 'between attempts'])(
  'an abort %s rejects with its reason',
  async (when) => {
    const stop = new AbortController()
    const reason = new Error('enough')
    const fetch = when === 'between attempts' ? async () => away() : silent
    if (when === 'before the call') stop.abort(reason)
    const { surehook } = clientOf([], { fetch })
    const call = failureOf(surehook.webhooks.list({}, { signal: stop.signal }))
    setTimeout(() => stop.abort(reason), 5)
    expect(await call).toBe(reason)
  },
)

it('no log, error or URL holds a token', async () => {
  const { surehook, sent } = clientOf([lost()], { maxRetries: 0 })
  const error = await failureOf(surehook.tables.list())
  const shown = { depth: 10, showHidden: true }
  expect(inspect(surehook, shown) + inspect(error, shown) + sent[0]?.url).not.toContain(token)
  const broken = clientOf([], { token: `${token}\n` })
  const refused = await failureOf(broken.surehook.tables.list())
  expect(refused).toBeInstanceOf(TypeError)
  expect(inspect(refused)).not.toContain(token)
  expect(() => clientOf([], { baseUrl: 'https://me:pw@hooks.example' })).toThrow('credentials')
})

it('asks for the token before each attempt', async () => {
  const tokens = ['first', 'second']
  const next = () => tokens.shift() ?? ''
  const { surehook, sent } = clientOf([away(), json(200, { tables: [] })], { token: next })
  await surehook.tables.list()
  expect(sent.map(({ headers }) => headers['authorization'])).toEqual([
    'Bearer first',
    'Bearer second',
  ])
})

it('an id stays one segment of the path', async () => {
  const { surehook, sent } = clientOf([json(200, {})])
  await surehook.table('orders').get('a/../b?')
  expect(sent[0]?.url).toBe('https://hooks.example/gw/api/rest/orders/a%2F..%2Fb%3F')
  for (const id of ['', '.', '..']) {
    expect(await failureOf(surehook.table('orders').delete(id))).toBeInstanceOf(TypeError)
  }
})

it('iterates over all pages', async () => {
  const pages = [
    json(200, { records: [{ id: '1' }, { id: '2' }], nextCursor: 'c' }),
    json(200, { records: [{ id: '3' }], nextCursor: null }),
  ]
  const { surehook, sent } = clientOf(pages)
  const ids: string[] = []
  const query = { where: { n: 1 }, order: ['-n', 'id'], limit: 2 }
  for await (const { id } of surehook.table('orders').iterate(query)) ids.push(id)
  expect(ids).toEqual(['1', '2', '3'])
  const asked = sent.map(({ url }) => Object.fromEntries(new URL(url).searchParams))
  const first = { where: '{"n":1}', order: '-n,id', limit: '2' }
  expect(asked).toEqual([first, { ...first, cursor: 'c' }])
})

it('a conflict is an error of its own', async () => {
  const { surehook } = clientOf([json(409, { error: 'CONFLICT' })])
  expect(await failureOf(surehook.webhooks.test('w'))).toBeInstanceOf(ConflictError)
})

it('asks for the whole installation with the administration token', async () => {
  const { surehook, sent } = clientOf([json(200, { findings: [] })], { adminToken: 'the-admin' })
  await surehook.admin.installation.health()
  expect(sent[0]).toMatchObject({
    url: 'https://hooks.example/gw/api/rest/_webhooks/_health',
    headers: { authorization: 'Bearer the-admin' },
  })
  expect(sent[0]?.headers).not.toHaveProperty('x-project-id')
})

it('rejects a ledger that failed after its answer began', async () => {
  const failed = { error: 'SERVICE_UNAVAILABLE', message: 'Kafka is away' }
  const { surehook } = clientOf([json(200, failed)])
  const query = { from: '2026-01-01T00:00:00Z' }
  const error = await failureOf(surehook.admin.installation.ledger(query))
  expect(error).toBeInstanceOf(SurehookError)
  expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', message: 'Kafka is away' })
})

it('reads a page of changes with the headers and bytes of their webhooks', async () => {
  const change = { cursor: 'c1', headers: { 'webhook-id': 'e1' }, body: '{"id":"e1"}' }
  const headers = { 'content-type': 'application/x-ndjson', 'x-next-cursor': 'c2' }
  const lines = (text: string) => new Response(text, { headers })
  const { surehook, sent } = clientOf([lines(`${JSON.stringify(change)}\n`), lines('')])
  expect(await surehook.streamPage({ table: 'orders', wait: 20 })).toEqual({
    changes: [change],
    nextCursor: 'c2',
  })
  const query = 'table=orders&wait=20&format=ndjson'
  expect(sent[0]?.url).toBe(`https://hooks.example/gw/api/rest/_stream?${query}`)
  expect(await surehook.streamPage()).toEqual({ changes: [], nextCursor: 'c2' })
})

it('refuses an answer that is no page of changes', async () => {
  const { surehook } = clientOf([json(200, {})])
  const failure = await failureOf(surehook.streamPage())
  expect(failure).toMatchObject({ code: 'UNEXPECTED_RESPONSE' })
})
