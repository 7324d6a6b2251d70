import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { until } from '@surehook/testing/until'
import { type Harness, openHarness } from './support/harness.ts'
import { HostileServer, type Trick } from './support/hostile-server.ts'

let harness: Harness
let resources: AsyncDisposableStack

beforeAll(async () => {
  resources = new AsyncDisposableStack()
  harness = resources.use(await openHarness())
  // One attempt per delivery: the next one is too far away to interfere.
  resources.use(await harness.start({ WEBHOOK_TIMEOUT: '1s', WEBHOOK_RETRY_DELAYS: '1h' }))
})
afterAll(async () => resources?.disposeAsync())

const tricks: Record<string, [Trick, object]> = {
  'a status line without end': [
    (socket, server) => {
      server.send(socket, 'HTTP/1.1 200 ')
      server.flood(socket, Buffer.alloc(65_536, 'a'))
    },
    { errorClass: 'http', httpStatus: null },
  ],
  'a body without end': [
    (socket, server) => {
      server.send(socket, 'HTTP/1.1 500 No\r\n\r\n')
      server.flood(socket, Buffer.alloc(65_536, 'a'))
    },
    { errorClass: 'http', httpStatus: 500 },
  ],
  'a status line byte by byte': [
    (socket, server) => server.drip(socket, `HTTP/1.1 200 ${'y'.repeat(9_999)}`),
    { errorClass: 'timeout', httpStatus: null },
  ],
  'interim answers without end': [
    (socket, server) => server.flood(socket, 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(999)),
    { errorClass: 'http', httpStatus: null },
  ],
  'a reset': [(_socket, server) => server.reset(), { errorClass: 'refused', httpStatus: null }],
}

it('records one failed attempt with its class for each, and keeps delivering', async () => {
  const made = await Promise.all(
    Object.entries(tricks).map(async ([name, [trick, expected]]) => {
      const server = resources.use(await HostileServer.open(harness.certificates, trick))
      const subscription = await harness.subscribe(server.url)
      const { deliveryId } = await harness.enqueueOne(subscription)
      return { name, server, deliveryId, expected }
    }),
  )
  const good = await harness.subscribe(harness.receiver.url('/good'))
  const { deliveryId } = await harness.enqueueOne(good)
  await until(() => harness.transitionsOf(deliveryId).length === 1)
  const failed = { status: 'retrying', attempts: 1, attempted: true }
  for (const one of made) {
    await until(() => harness.transitionsOf(one.deliveryId).length > 0)
    expect([one.name, harness.transitionsOf(one.deliveryId)]).toMatchObject([
      one.name,
      [{ ...failed, ...one.expected }],
    ])
    expect([one.name, one.server.requests]).toEqual([one.name, 1])
  }
})
