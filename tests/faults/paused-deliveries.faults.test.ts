import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, it } from '@jest/globals'
import type { ServiceHandle } from '@surehook/scripts/system/start-services'
import { until } from '@surehook/testing/until'
import {
  type FaultWorld,
  openFaultWorld,
  undecidedAtMost,
} from '../support/deliveries/fault-world.ts'
import type { Subscriber } from '../support/deliveries/subscribers.ts'

let world: FaultWorld

beforeAll(async () => {
  world = await openFaultWorld({ replicas: { 'webhook-dispatcher': 2 } })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

const changes = 1_000

/** Returns the dispatcher that has made more attempts. */
async function busiestDispatcher(): Promise<ServiceHandle | undefined> {
  const counted = world.system.services['webhook-dispatcher'].map(async (dispatcher) => {
    const metrics = await (await fetch(`${dispatcher.internalUrl}/metrics`)).text()
    const counts = metrics.matchAll(/^surehook_delivery_attempts_total\S* (\d+)$/gm)
    return { dispatcher, attempts: counts.reduce((sum, [, count]) => sum + Number(count), 0) }
  })
  const sorted = (await Promise.all(counted)).toSorted((a, b) => b.attempts - a.attempts)
  return sorted[0]?.dispatcher
}

/** Lets the receiver fail until its circuit opens and deliveries accumulate. */
async function pileUp(subscriber: Subscriber): Promise<void> {
  subscriber.away = true
  await until(async () => ((await world.audit.statuses(subscriber.id)).paused ?? 0) > 100, {
    what: 'paused deliveries',
  })
}

describe('while a receiver is away and deliveries are paused', () => {
  it('SIGKILL of both dispatchers loses none', async () => {
    const cause = 'SIGKILL of both dispatchers, paused deliveries'
    await world.duringLoad(
      { cause, changes, mayRepeat: undecidedAtMost },
      async ([, subscriber]) => {
        if (subscriber === undefined) return
        await pileUp(subscriber)
        const dispatchers = world.system.services['webhook-dispatcher']
        await Promise.all(dispatchers.map((dispatcher) => dispatcher.kill('SIGKILL')))
        await Promise.all(dispatchers.map((dispatcher) => dispatcher.restart()))
        subscriber.away = false
      },
    )
  })

  it('SIGTERM of each dispatcher in turn loses none and repeats none', async () => {
    const cause = 'SIGTERM of each dispatcher, paused deliveries'
    await world.duringLoad({ cause, changes }, async ([, subscriber]) => {
      if (subscriber === undefined) return
      await pileUp(subscriber)
      for (const dispatcher of world.system.services['webhook-dispatcher']) {
        await dispatcher.stop()
        await dispatcher.restart()
      }
      subscriber.away = false
    })
  })

  it('SIGKILL of Kafka loses none', async () => {
    const cause = 'SIGKILL of Kafka, paused deliveries'
    await world.duringLoad(
      { cause, changes, mayRepeat: undecidedAtMost },
      async ([, subscriber]) => {
        if (subscriber === undefined) return
        await pileUp(subscriber)
        const { kafka } = world.system.stack.processes
        await kafka?.kill('SIGKILL')
        await kafka?.restart()
        subscriber.away = false
      },
    )
  })
})

it('a dispatcher that stands still for longer than its session repeats only deliveries in flight', async () => {
  const cause = 'SIGSTOP of one of two dispatchers for 13 s'
  await world.duringLoad({ cause, changes, mayRepeat: undecidedAtMost }, async () => {
    const frozen = await busiestDispatcher()
    await frozen?.kill('SIGSTOP')
    // Longer than the session of 10 s, so that the other dispatcher has taken over the partitions.
    await wait(13_000)
    await frozen?.kill('SIGCONT')
  })
})
