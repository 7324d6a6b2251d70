import { createRequire } from 'node:module'
import { boundedBy } from '@surehook/service-kit/bounded'
import { replaceMethods } from '../replace-methods.ts'

type Cluster = { findGroupCoordinator(of: { groupId: string }): Promise<object> }

/** A kafkajs object that sends a group's requests to its coordinator. */
type GroupClient = { groupId: string; cluster: Cluster; coordinator: object }

type Runner = { consumerGroup: GroupClient; heartbeat(): Promise<void> }

type OffsetManager = GroupClient & {
  commitOffsets(offsets?: object): Promise<void>
  resolveOffsets(): Promise<void>
}

const internal = createRequire(import.meta.url)
const { prototype: runner } = internal('kafkajs/src/consumer/runner') as { prototype: Runner }
const { prototype: offsets } = internal('kafkajs/src/consumer/offsetManager') as {
  prototype: OffsetManager
}
/** The methods as earlier patches have left them. */
const before = {
  runner: {} as Pick<Runner, 'heartbeat'>,
  offsets: {} as Pick<OffsetManager, 'commitOffsets' | 'resolveOffsets'>,
}

const unreachable = new Set([
  'KafkaJSConnectionError',
  'KafkaJSConnectionClosedError',
  'KafkaJSRequestTimeoutError',
  'KafkaJSBrokerNotFound',
])
const elsewhere = new Set(['NOT_COORDINATOR_FOR_GROUP', 'GROUP_COORDINATOR_NOT_AVAILABLE'])

const mayHaveMoved = (err: Error) =>
  unreachable.has(err.name) || ('type' in err && elsewhere.has(String(err.type)))

const searchWithinMs = 3_000
/** Running searches by client. A client is in one group. */
const searches = new WeakMap<Cluster, Promise<object>>()

/**
 * Runs one search at a time. While Kafka is unreachable it does not end, and callers repeat their
 * requests.
 */
function search({ cluster, groupId }: GroupClient): Promise<object> {
  const begun = searches.get(cluster)
  if (begun !== undefined) return begun
  const found = cluster.findGroupCoordinator({ groupId }).finally(() => searches.delete(cluster))
  found.catch(() => undefined)
  searches.set(cluster, found)
  return found
}

/**
 * Runs `ask`. If it fails and another coordinator is found soon, it repeats `ask` there. Otherwise
 * it rejects with the original error.
 */
async function following(client: GroupClient, ask: () => Promise<void>): Promise<void> {
  try {
    await ask()
  } catch (err) {
    if (!(err instanceof Error && mayHaveMoved(err))) throw err
    const { coordinator } = client
    const found = await boundedBy(searchWithinMs, search(client), 'No coordinator').catch(
      () => coordinator,
    )
    if (found === coordinator) throw err
    client.coordinator = found
    await ask()
  }
}

function beatFollowing(this: Runner): Promise<void> {
  return following(this.consumerGroup, () => before.runner.heartbeat.call(this))
}

function commitFollowing(this: OffsetManager, positions?: object): Promise<void> {
  return following(this, () => before.offsets.commitOffsets.call(this, positions))
}

function resolveFollowing(this: OffsetManager): Promise<void> {
  return following(this, () => before.offsets.resolveOffsets.call(this))
}

/**
 * Call it before a process consumes. kafkajs 2.2.4 looks up the coordinator of its group only when
 * it joins. If that broker is gone for good, it keeps sending heartbeats and commits there. The
 * next coordinator knows the group's state, so the member continues there, as in Kafka's own
 * client.
 */
export function followMovedCoordinator(): void {
  replaceMethods(runner, before.runner, { heartbeat: beatFollowing })
  replaceMethods(offsets, before.offsets, {
    commitOffsets: commitFollowing,
    resolveOffsets: resolveFollowing,
  })
}
