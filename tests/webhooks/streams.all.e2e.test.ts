import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { expectStatus } from '@surehook/scripts/client/call'
import { openStream } from '@surehook/scripts/client/stream'
import { type ListeningWorld, openListeningWorld } from '../support/listening-world.ts'

let world: ListeningWorld

beforeAll(async () => {
  world = await openListeningWorld({ env: { GATEWAY_UPSTREAM_TIMEOUT: '5s' } })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

it('a stream has what a webhook gets, and its client misses nothing when webhook-api is killed', async () => {
  const tenant = await world.tenant()
  const api = `${world.system.baseUrl}/gw`
  const listener = await world.listen(tenant)
  using stream = await openStream(api, tenant, { query: '?table=orders' })
  const record = await tenant.insert({ n: 0 })
  const change = async (n: number) =>
    expectStatus(200, await tenant.rest(`PATCH orders/${record.id}`, { n }))
  await change(1)
  await Promise.all([stream.arrived(2), listener.arrived(2)])
  const bodies = listener.receipts.map(({ body }) => body)
  expect(stream.events.map(({ data }) => data).toSorted()).toEqual(bodies.toSorted())
  expect(stream.events.map(({ event }) => event)).toEqual(['INSERT', 'UPDATE'])

  const [service] = world.system.services['webhook-api']
  await service?.kill()
  await stream.ended()
  // Written while nobody streams.
  await change(2)
  await service?.restart()
  using resumed = await openStream(api, tenant, {
    query: '?table=orders',
    lastEventId: stream.lastEventId,
  })
  await change(3)
  await resumed.arrived(2)
  const numbers = [...stream.events, ...resumed.events].map(
    ({ data }) => (JSON.parse(data) as { record: { n: number } }).record.n,
  )
  expect(numbers.map(Number)).toEqual([0, 1, 2, 3])
})
