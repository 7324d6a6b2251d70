import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { serviceNames } from '@surehook/scripts/system/service-catalog'
import {
  type FaultWorld,
  openFaultWorld,
  undecidedAtMost,
} from '../support/deliveries/fault-world.ts'

let world: FaultWorld

beforeAll(async () => {
  world = await openFaultWorld({ mode: 'separate' })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

/** `killed-services.faults.test.ts` kills each during a larger load, and Kafka too. */
it('SIGKILL of each service, one after the other, loses no change', async () => {
  let killed = 0
  const load = { cause: 'SIGKILL of each service', changes: 100, goesOn: true }
  await world.duringLoad({ ...load, mayRepeat: undecidedAtMost }, async () => {
    for (const service of serviceNames) {
      for (const replica of world.system.services[service]) {
        await replica.kill('SIGKILL')
        await replica.restart()
        killed++
      }
    }
  })
  expect(killed).toBe(serviceNames.length)
})
