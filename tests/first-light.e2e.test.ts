import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { defaultSecret } from '@surehook/scripts/client/tenant'
import { verifySignature } from '@surehook/scripts/receiver/verify-signature'
import { eventually, openWorld, payloadOf, type World } from './support/world.ts'

let world: World

beforeAll(async () => {
  world = await openWorld()
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

it('carries one change from the data API to a signed delivery, through all six services', async () => {
  const tenant = await world.tenant()
  await tenant.putTable('orders')
  const { id } = await tenant.subscribe(world.receiver.url('/first'))

  const record = await tenant.insert({ status: 'new', n: 1 })

  const [receipt] = await world.receiver.waitFor('/first', 1)
  if (receipt === undefined) throw new Error('nothing came')
  const payload = payloadOf(receipt)
  expect(payload.record).toEqual(record)
  expect(verifySignature(receipt, defaultSecret)).toBe(true)

  const [delivery] = await eventually(
    () => tenant.deliveries(id),
    ([newest]) => newest?.status === 'delivered',
  )
  expect(delivery).toMatchObject({ eventId: payload.id, httpStatus: 204, attempts: 1 })
})
