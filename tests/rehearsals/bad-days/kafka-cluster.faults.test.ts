import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { changesTopic } from '@surehook/contracts/topics'
import { admin } from '@surehook/scripts/client/call'
import type { Tenant } from '@surehook/scripts/client/tenant'
import { until } from '@surehook/testing/until'
import { standStill } from '../../faults/suite/faults/stand-still.ts'
import { allReady } from '../../support/all-ready.ts'
import {
  type FaultWorld,
  openFaultWorld,
  undecidedAtMost,
} from '../../support/deliveries/fault-world.ts'
import { type ClusteredStack, openKafkaCluster } from './kafka-cluster.ts'

let cluster: ClusteredStack
let world: FaultWorld
let tenant: Tenant

beforeAll(async () => {
  world = await openFaultWorld({ env: { KAFKA_REPLICATION_FACTOR: '3' } }, async (dir) => {
    cluster = await openKafkaCluster(dir)
    return cluster
  })
  tenant = await world.tenant()
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

/** A request to a silent broker ends after 15 s, and some requests meet the broker twice. */
const patient = { mayRepeat: undecidedAtMost, settleWithinMs: 90_000 }

/** Returns the status of a change of state, which is answered only once Kafka has it. */
async function makeKnown(name: string): Promise<number> {
  const path = `PUT /${tenant.projectId}/environments/${name}`
  return (await admin(world.system, path, {})).status
}

describe('with three Kafka brokers, during changes', () => {
  it('a restart of each in turn loses nothing', async () => {
    const load = {
      cause: 'three brokers restarted in turn',
      changes: 300,
      goesOn: true,
      ...patient,
    }
    await world.duringLoad(load, async () => {
      for (const node of cluster.nodes) {
        await cluster.untilInSync()
        await node.restart()
      }
    })
    await cluster.untilInSync()
    await allReady(world.system)
  })

  it('the leader is killed and stays away: work continues without it', async () => {
    const leader = await cluster.leaderOf(changesTopic, 0)
    const node = cluster.nodes[leader - 1]
    const load = { cause: 'one of three brokers killed', changes: 1_000, ...patient }
    await world.duringLoad(load, async () => {
      await node?.kill('SIGKILL')
    })
    expect(node?.pid).toBeUndefined()
    expect(await cluster.leaderOf(changesTopic, 0)).not.toBe(leader)
    await allReady(world.system)
    expect(await makeKnown('while-one-is-away')).toBe(200)
    await node?.restart()
    await cluster.untilInSync()
  })

  it('the leader stands still: work continues without it', async () => {
    const leader = await cluster.leaderOf(changesTopic, 0)
    const node = cluster.nodes[leader - 1]
    if (node === undefined) throw new Error('nobody leads')
    const load = { cause: 'one of three brokers stands still', changes: 1_000, ...patient }
    try {
      await world.duringLoad(load, () => node.kill('SIGSTOP'))
      await allReady(world.system)
      expect(await cluster.leaderOf(changesTopic, 0)).not.toBe(leader)
    } finally {
      await node.kill('SIGCONT')
    }
    await cluster.untilInSync()
  })

  it('the broker with the first address stands still, and services that start use the others', async () => {
    const load = { cause: 'the first broker stands still for a while', changes: 300, ...patient }
    await world.duringLoad({ ...load, goesOn: true }, () =>
      standStill(cluster.nodes.slice(0, 1), async () => {
        const isFenced = async () => (await cluster.inSync()).every((nodes) => !nodes.includes(1))
        await until(isFenced, { what: 'partitions without the first node', timeoutMs: 90_000 })
        // A new process knows nothing of the silent broker, and starts with its address.
        const { 'webhook-dispatcher': dispatchers, 'webhook-matcher': matchers } =
          world.system.services
        await Promise.all([...dispatchers, ...matchers].map((replica) => replica.restart()))
      }),
    )
    await cluster.untilInSync()
    await allReady(world.system)
  })

  it('two are killed: no change is acknowledged with a single copy, and nothing is lost', async () => {
    const [first, second] = cluster.nodes
    const load = { cause: 'two of three brokers killed', changes: 600, ...patient }
    await world.duringLoad(load, async () => {
      await Promise.all([first?.kill('SIGKILL'), second?.kill('SIGKILL')])
      expect(await makeKnown('while-two-are-away')).toBe(503)
      await Promise.all([first?.restart(), second?.restart()])
    })
    await cluster.untilInSync()
    await allReady(world.system)
  })
})
