import { once } from 'node:events'
import { describe, expect, it } from '@jest/globals'
import { startStand } from './gateway.ts'

const path = '/gw/api/rest/_stream?from=now'
const env = { GATEWAY_UPSTREAM_TIMEOUT: '200ms' }

describe('a stream', () => {
  it('arrives event by event, for longer than an upstream may be silent', async () => {
    await using stand = await startStand(env)
    const asked: (string | undefined)[] = []
    let send: (event: string) => void = () => undefined
    stand.webhooks.answer = (req, res) => {
      asked.push(req.url, req.headers['last-event-id'] as string)
      res.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('retry: 1\n\n')
      send = (event) => void res.write(event)
    }
    const answer = await fetch(`${stand.url}${path}`, { headers: { 'last-event-id': 'c' } })
    expect(answer.headers.get('content-type')).toBe('text/event-stream')
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
    expect((await reader?.read())?.value).toBe('retry: 1\n\n')
    for (const event of ['data: 1\n\n', 'data: 2\n\n']) {
      const next = reader?.read()
      setTimeout(() => send(event), 500)
      expect((await next)?.value).toBe(event)
    }
    expect(asked).toEqual(['/api/rest/_stream?from=now', 'c'])
    await reader?.cancel()
  })

  it('ends at the service when the client leaves', async () => {
    await using stand = await startStand(env)
    const left = Promise.withResolvers<void>()
    stand.webhooks.answer = (_req, res) => {
      res.once('close', () => left.resolve())
      res.writeHead(200).write('data: 1\n\n')
    }
    const answer = await fetch(`${stand.url}${path}`)
    await answer.body?.cancel()
    await left.promise
  })

  it('is cut at once when the gateway closes', async () => {
    const stand = await startStand(env)
    stand.webhooks.answer = (_req, res) => void res.writeHead(200).write('data: 1\n\n')
    const answer = await fetch(`${stand.url}${path}`)
    const cut = answer.text().then(
      () => 'whole',
      () => 'cut',
    )
    const from = performance.now()
    await stand[Symbol.asyncDispose]()
    expect(await cut).toBe('cut')
    expect(performance.now() - from).toBeLessThan(4_000)
  })
})

it('600 streams of one client leave room for its other requests to the same service', async () => {
  await using stand = await startStand(env)
  const plain = stand.webhooks.answer
  stand.webhooks.answer = (req, res) => {
    if (req.url?.startsWith('/api/rest/_stream')) res.writeHead(200).write('data: 1\n\n')
    else plain(req, res)
  }
  const stop = new AbortController()
  // A stream with a large body is one, too.
  const bodies = [null, 'x'.repeat(70_000)]
  const open = (n: number) =>
    fetch(`${stand.url}${path}`, {
      signal: stop.signal,
      ...(n % 30 === 0 && { method: 'POST', body: 'x'.repeat(70_000) }),
    })
  const answers = await Promise.all(Array.from({ length: 600 }, (_, n) => open(n)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  for (const body of bodies) {
    const method = body === null ? 'GET' : 'POST'
    const other = await fetch(`${stand.url}/gw/api/rest/_webhooks`, { method, body })
    expect(other.status).toBe(200)
  }
  const closed = once(stop.signal, 'abort')
  stop.abort()
  await closed
})
