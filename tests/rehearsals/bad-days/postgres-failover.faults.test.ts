import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it } from '@jest/globals'
import { startLocalStack } from '@surehook/scripts/local-stack/local-stack'
import { allReady } from '../../support/all-ready.ts'
import { restTransport } from '../../support/change-transports.ts'
import {
  type FaultWorld,
  openFaultWorld,
  undecidedAtMost,
} from '../../support/deliveries/fault-world.ts'
import { loadColumns } from '../../support/deliveries/load.ts'
import { eventually, payloadOf } from '../../support/world.ts'
import {
  openPostgresPair,
  type PostgresPair,
  type Replication,
  untilSlotsAreSafe,
} from './postgres-pair.ts'

let world: FaultWorld
let pair: PostgresPair

afterEach(async () => {
  await world?.[Symbol.asyncDispose]()
})

async function openWorld(how: Replication): Promise<void> {
  world = await openFaultWorld({}, async (dir) => {
    const stack = await startLocalStack({
      dir: `${dir}/others`,
      only: ['kafka', 'registry', 'redis'],
    })
    pair = await openPostgresPair(dir, how)
    const stop = async () => {
      await pair.stop()
      await stack.stop()
    }
    return { ...stack, databaseUrl: pair.url, stop }
  })
  await untilSlotsAreSafe(pair, 3)
}

describe('when PostgreSQL loses its primary during 1,000 changes, and the stand-by is promoted', () => {
  it('with synchronous replication no acknowledged change is lost', async () => {
    await openWorld('synchronous')
    const load = { cause: 'fail-over, synchronous', changes: 1_000, mayRepeat: undecidedAtMost }
    await world.duringLoad(load, async () => {
      await pair.losePrimary()
      await pair.promoteStandby()
    })
    await allReady(world.system)
    const slots = await pair.slotsOfStandby()
    expect(slots.map(({ slot }) => slot)).toEqual([
      'surehook_auth_service',
      'surehook_data_api',
      'surehook_webhook_api',
    ])
    await world.duringLoad({ cause: 'after the fail-over', changes: 200 }, async () => {})
  })

  it('a primary that stands still is replaced too', async () => {
    await openWorld('synchronous')
    const load = { cause: 'fail-over, the primary stands still', changes: 1_000 }
    const patient = { mayRepeat: undecidedAtMost, settleWithinMs: 90_000 }
    await world.duringLoad({ ...load, ...patient }, async () => {
      pair.freezePrimary()
      await pair.promoteStandby()
    })
    await allReady(world.system)
  })

  it('with asynchronous replication, changes that the stand-by lacks are lost, and were never delivered', async () => {
    await openWorld('asynchronous')
    const { receiver } = world
    const tenant = await world.tenant()
    await tenant.putTable('orders', loadColumns)
    const { id } = await tenant.subscribe(receiver.url('/async'))
    const platform = restTransport(tenant)
    const writeMany = (count: number) =>
      inParallel(count, async () => {
        const ref = randomUUID()
        const record = await platform.insert({ ref, lane: 'even', version: 1 })
        if (record === null) throw new Error('an insert was not answered')
        return { ref, record }
      })
    const kept = await writeMany(200)
    await receiver.waitFor('/async', kept.length)
    pair.cutOffStandby()
    const late = await writeMany(100)
    await pair.losePrimary()
    await pair.promoteStandby()
    const promotedAt = performance.now()
    await allReady(world.system)
    const readyMs = performance.now() - promotedAt
    const after = await writeMany(100)

    const written = [...kept, ...late, ...after]
    const found = await inParallel(written.length, async (place) => {
      const { status } = await tenant.rest(`GET orders/${written[place]?.record}`)
      return status === 200
    })
    const present = written.filter((_, place) => found[place]).map(({ ref }) => ref)
    const refsReceived = () =>
      new Set(
        receiver.receipts('/async').map((receipt) => String(payloadOf(receipt).record['ref'])),
      )
    await eventually(
      async () => refsReceived().size,
      (size) => size >= present.length,
    )
    expect(new Set(present)).toEqual(new Set([...kept, ...after].map(({ ref }) => ref)))
    expect(refsReceived()).toEqual(new Set(present))
    const isRead = (lag: Record<string, number>) => Object.values(lag).every((left) => left === 0)
    await eventually(() => world.audit.lag(), isRead)
    const statuses = await world.audit.statuses(id)
    const lost = written.length - present.length
    process.stdout.write(
      `fail-over, asynchronous: ready after ${(readyMs / 1000).toFixed(1)} s; ${lost} of ${written.length} acknowledged changes lost; in the delivery log: ${JSON.stringify(statuses)}\n`,
    )
  })
})

async function inParallel<T>(count: number, work: (place: number) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  let next = 0
  const worker = async () => {
    for (let place = next++; place < count; place = next++) results[place] = await work(place)
  }
  await Promise.all(Array.from({ length: 8 }, worker))
  return results
}
