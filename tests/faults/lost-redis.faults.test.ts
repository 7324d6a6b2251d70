import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { type FaultWorld, openFaultWorld } from '../support/deliveries/fault-world.ts'

let world: FaultWorld

beforeAll(async () => {
  // Generous, because timeouts on a busy machine would repeat deliveries without a fault of Redis.
  world = await openFaultWorld({ env: { WEBHOOK_TIMEOUT: '30s' } })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

it('while Redis stays away, no delivery is lost or repeated, and no invalid token is accepted', async () => {
  const { redis } = world.system.stack.processes
  await world.duringLoad({ cause: 'Redis away', changes: 1_000 }, async () => {
    await redis?.kill('SIGKILL')
  })
  const tenant = await world.tenant()
  const stranger = { authorization: `Bearer mt_${'x'.repeat(43)}` }
  const answers = [
    await tenant.rest('GET _tables', undefined, stranger),
    await tenant.webhooks('GET', undefined, stranger),
  ]
  expect(answers.map(({ body }) => body.error)).toEqual(
    answers.map(() => 'MANAGEMENT_TOKEN_INVALID'),
  )
  await redis?.restart()
  await world.duringLoad({ cause: 'Redis back, and empty', changes: 300 }, async () => {})
}, 120_000)
