import { afterAll, beforeAll, describe, it } from '@jest/globals'
import type { ServiceName } from '@surehook/scripts/system/service-catalog'
import {
  type FaultWorld,
  openFaultWorld,
  undecidedAtMost,
} from '../support/deliveries/fault-world.ts'

let world: FaultWorld

beforeAll(async () => {
  world = await openFaultWorld()
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

const changes = 1_000
const hasEvents = true

/** Kills and restarts the service at once, as a supervisor would. */
async function killAndRestart(service: ServiceName): Promise<void> {
  for (const replica of world.system.services[service]) {
    await replica.kill('SIGKILL')
    await replica.restart()
  }
}

describe('SIGKILL during 1,000 changes loses none', () => {
  it.each<[ServiceName, number]>([
    ['webhook-dispatcher', undecidedAtMost],
    ['webhook-matcher', 0],
    ['data-api', 0],
    ['webhook-api', 0],
    ['auth-service', 0],
    ['gateway', 0],
  ])('of %s', async (service, mayRepeat) => {
    const cause = `SIGKILL of ${service}`
    await world.duringLoad({ cause, changes, mayRepeat, hasEvents }, () => killAndRestart(service))
  })

  it('of the Kafka broker', async () => {
    await world.duringLoad(
      { cause: 'SIGKILL of Kafka', changes, mayRepeat: undecidedAtMost, hasEvents },
      async () => {
        const { kafka } = world.system.stack.processes
        await kafka?.kill('SIGKILL')
        await kafka?.restart()
      },
    )
  })
})
