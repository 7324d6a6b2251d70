import { expect, it } from '@jest/globals'
import { AuthenticationError, Surehook, type SurehookOptions } from '../index.ts'

const encoder = new TextEncoder()
const event = (n: number) => `event: INSERT\nid: c${n}\ndata: {"id":"${n}"}\n\n`

/** An answer with this text. It ends then, breaks, or stays open until the client gives up. */
function streamOf(text: string, end: 'ends' | 'breaks' | 'stays', signal?: AbortSignal | null) {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(encoder.encode(text))
      if (end === 'ends') controller.close()
      if (end === 'stays') signal?.addEventListener('abort', () => controller.error(signal.reason))
    },
    pull(controller) {
      if (end === 'breaks') controller.error(new TypeError('terminated'))
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

type Answer = (signal: AbortSignal | null | undefined) => Response

/** Streams whose connections get one answer after the other. The last one is refused with 401. */
function clientOf(answers: Answer[], options: Partial<SurehookOptions> = {}) {
  const asked: { query: object; lastEventId: string | null }[] = []
  const refused = () => Response.json({ error: 'MANAGEMENT_TOKEN_INVALID' }, { status: 401 })
  const fetch = async (url: unknown, init: RequestInit = {}) => {
    const query = Object.fromEntries(new URL(String(url)).searchParams)
    asked.push({ query, lastEventId: new Headers(init.headers).get('last-event-id') })
    return (answers.shift() ?? refused)(init.signal)
  }
  const given = { baseUrl: 'https://hooks.example', projectId: 'shop', token: 't', fetch }
  return { surehook: new Surehook({ ...given, ...options }), asked }
}

it.each(['ends', 'breaks'] as const)(
  'goes on at its cursor after a connection %s, until the token is refused',
  async (end) => {
    const { surehook, asked } = clientOf([
      () => streamOf(`retry: 1000\nid: c0\n\n${event(1)}`, end),
      () => streamOf(`${event(2)}: heartbeat\nid: c3\n\n`, end),
    ])
    const seen: unknown[] = []
    const tables = ['orders', 'refunds']
    const onConnect = () => seen.push('connected')
    const stream = surehook.stream({ table: tables, events: ['INSERT'], from: '1h', onConnect })
    const read = async () => {
      for await (const { id } of stream) seen.push([id, stream.cursor])
    }
    await expect(read()).rejects.toBeInstanceOf(AuthenticationError)
    expect(seen).toEqual(['connected', ['1', 'c1'], 'connected', ['2', 'c2']])
    const query = { table: 'orders,refunds', events: 'INSERT' }
    expect(asked).toEqual([
      { query: { ...query, from: '1h' }, lastEventId: null },
      { query, lastEventId: 'c1' },
      { query, lastEventId: 'c3' },
    ])
  },
)

it('connects again if nothing comes, and while the service is away', async () => {
  const { surehook, asked } = clientOf([
    (signal) => streamOf('id: c0\n\n', 'stays', signal),
    () => Response.json({ error: 'SERVICE_UNAVAILABLE' }, { status: 503 }),
    () => streamOf(event(1), 'ends'),
  ])
  const stream = surehook.stream({ silence: 20 })
  for await (const { id } of stream) {
    expect(id).toBe('1')
    break
  }
  expect(asked.map(({ lastEventId }) => lastEventId)).toEqual([null, 'c0', 'c0'])
})

it('an abort ends it with the reason, and no invalid token is tried twice', async () => {
  const stop = new AbortController()
  const { surehook } = clientOf([(signal) => streamOf(event(1), 'stays', signal)])
  const read = async () => {
    for await (const _ of surehook.stream({ signal: stop.signal })) stop.abort(new Error('enough'))
  }
  await expect(read()).rejects.toThrow('enough')
  const broken = clientOf([], { token: 'a\nb' })
  const next = broken.surehook.stream()[Symbol.asyncIterator]().next()
  await expect(next).rejects.toBeInstanceOf(TypeError)
  expect(broken.asked).toEqual([])
})

it.each([
  [[], {}],
  [['orders'], { table: 'orders' }],
  ['orders', { table: 'orders' }],
])('asks for the tables %j', async (table, query) => {
  const { surehook, asked } = clientOf([])
  const next = surehook.stream({ table })[Symbol.asyncIterator]().next()
  await expect(next).rejects.toBeInstanceOf(AuthenticationError)
  expect(asked).toEqual([{ query, lastEventId: null }])
})

it('a page that is no stream ends it', async () => {
  const { surehook } = clientOf([() => new Response('<h1>Welcome</h1>')])
  const next = surehook.stream()[Symbol.asyncIterator]().next()
  await expect(next).rejects.toMatchObject({ code: 'UNEXPECTED_RESPONSE', status: 200 })
})
