import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { DeliveryDetail } from '@surehook/contracts/http/webhooks/deliveries'
import { Subscription } from '@surehook/contracts/http/webhooks/webhooks'
import { expectStatus } from '@surehook/scripts/client/call'
import {
  openSharedListeningWorld,
  type SharedListeningWorld,
} from '../support/shared/shared-world.ts'
import { eventually } from '../support/world.ts'

let world: SharedListeningWorld

beforeAll(async () => {
  world = await openSharedListeningWorld()
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

it('a policy governs the deliveries of its subscription, from the headers to the end of its receiver', async () => {
  const tenant = await world.tenant()
  const value = 'Bearer of-the-receiver'
  const limits = {
    retryAfter: true,
    gone: 'deactivate',
    // Within the second it is deactivated, before it is attempted again.
    retryDelays: ['100ms', '5s', '5s'],
    concurrency: 1,
    rateLimit: { perSecond: 20 },
  }
  const policy = { ...limits, headers: { Authorization: value } }
  const shown = { ...limits, headerNames: ['Authorization'] }
  let isGone = true
  const answers = [
    { status: 429, headers: { 'retry-after': '1' } },
    { status: 410, body: value },
  ]
  const listener = await world.listen(tenant, { policy }, (_receipt, nth) =>
    nth === 1 || isGone ? (answers[nth - 1] ?? { status: 410 }) : { status: 204 },
  )
  await tenant.insert()
  const read = async () => {
    const { body } = expectStatus(200, await tenant.webhooks(`GET /${listener.id}`))
    return Subscription.parse((body as { webhook?: unknown }).webhook)
  }
  const gone = await eventually(read, ({ active }) => !active)
  expect(gone).toMatchObject({ disabledReason: expect.stringContaining('410'), policy: shown })
  const [first, second] = listener.receipts
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1_000)
  const [paused] = await listener.log(([one]) => one?.status === 'paused')
  expect(paused).toMatchObject({ attempts: 2, httpStatus: 410 })

  isGone = false
  expectStatus(200, await tenant.webhooks(`PATCH /${listener.id}`, { active: true }))
  const [delivered] = await listener.log(([one]) => one?.status === 'delivered')
  expect(listener.receipts.every(({ headers }) => headers['authorization'] === value)).toBe(true)
  const detail = await tenant.webhooks(`GET /${listener.id}/deliveries/${delivered?.id}`)
  const { attemptLog } = DeliveryDetail.parse(detail.body)
  expect(attemptLog.map(({ httpStatus }) => httpStatus)).toEqual([429, 410, 204])
  expect(attemptLog[1]?.answer).toBe('***')
})
