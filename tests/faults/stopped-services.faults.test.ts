import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { ServiceName } from '@surehook/scripts/system/service-catalog'
import type { ServiceHandle } from '@surehook/scripts/system/start-services'
import {
  type FaultWorld,
  openFaultWorld,
  undecidedAtMost,
} from '../support/deliveries/fault-world.ts'

let world: FaultWorld

beforeAll(async () => {
  world = await openFaultWorld({
    replicas: { 'webhook-dispatcher': 2, 'webhook-matcher': 2, 'data-api': 2, 'webhook-api': 2 },
  })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

const changes = 1_000

describe('SIGKILL of one of two replicas, which stays away', () => {
  it.each<[ServiceName, number]>([
    ['webhook-dispatcher', undecidedAtMost],
    ['webhook-matcher', 0],
    ['webhook-api', 0],
  ])('of %s: the other continues, and nothing is lost', async (service, mayRepeat) => {
    // The gateway knows only the first replica.
    const [, victim] = world.system.services[service]
    const cause = `SIGKILL of one of two ${service}`
    await world.duringLoad({ cause, changes, mayRepeat }, async () => victim?.kill('SIGKILL'))
    await victim?.restart()
  })

  it('of data-api, with the slot: the other takes it over, and nothing is lost', async () => {
    const [first, second] = world.system.services['data-api']
    if (first === undefined || second === undefined) throw new Error('two replicas are needed')
    // The second replica takes the slot; the first one serves the gateway.
    await first.restart()
    expect(await holdsSlot(second)).toBe(true)
    const cause = 'SIGKILL of the data-api with the slot'
    await world.duringLoad({ cause, changes }, () => second.kill('SIGKILL'))
    expect(await holdsSlot(first)).toBe(true)
    await second.restart()
  })
})

async function holdsSlot({ internalUrl }: ServiceHandle): Promise<boolean> {
  const metrics = await (await fetch(`${internalUrl}/metrics`)).text()
  return /^surehook_capture_relay_leader\S* 1$/m.test(metrics)
}
