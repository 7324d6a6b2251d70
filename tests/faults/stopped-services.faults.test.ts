import { afterAll, beforeAll, describe, it } from '@jest/globals'
import type { ServiceName } from '@surehook/scripts/system/service-catalog'
import { type FaultWorld, openFaultWorld } from '../support/fault-world.ts'

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

describe('SIGTERM loses nothing and repeats nothing', () => {
  it.each<ServiceName>(['webhook-dispatcher', 'webhook-matcher'])('of each %s', async (service) => {
    const cause = `SIGTERM of each ${service}`
    await world.duringLoad({ cause, changes }, async () => {
      for (const replica of world.system.services[service]) {
        await replica.stop()
        await replica.restart()
      }
    })
  })
})

describe('with two replicas, SIGKILL of one', () => {
  it.each<[ServiceName, number]>([
    ['webhook-dispatcher', 64],
    ['webhook-matcher', 0],
    ['webhook-api', 0],
  ])('of %s loses nothing, though it stays away', async (service, mayRepeat) => {
    // The gateway knows the first one only.
    const [, victim] = world.system.services[service]
    const cause = `SIGKILL of one of two ${service}`
    await world.duringLoad({ cause, changes, mayRepeat }, async () => victim?.kill('SIGKILL'))
    await victim?.restart()
  })
})
