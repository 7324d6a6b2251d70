import { createRequire } from 'node:module'
import { boundedBy } from '@surehook/service-kit/bounded'

type Cluster = { findGroupCoordinator(of: { groupId: string }): Promise<object> }

/** What asks one broker about a group, as kafkajs has it. */
type Asking = { groupId: string; cluster: Cluster; coordinator: object }

type Runner = { consumerGroup: Asking; heartbeat(): Promise<void> }

type OffsetManager = Asking & {
  commitOffsets(offsets?: object): Promise<void>
  resolveOffsets(): Promise<void>
}

const internal = createRequire(import.meta.url)
const { prototype: runner } = internal('kafkajs/src/consumer/runner') as { prototype: Runner }
const { prototype: offsets } = internal('kafkajs/src/consumer/offsetManager') as {
  prototype: OffsetManager
}
const { heartbeat } = runner
const { commitOffsets, resolveOffsets } = offsets

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
/** Of a client, which is in one group. */
const searches = new WeakMap<Cluster, Promise<object>>()

/** One search at a time: while Kafka is away it does not end, and all who need the coordinator come by again. */
function search({ cluster, groupId }: Asking): Promise<object> {
  const begun = searches.get(cluster)
  if (begun !== undefined) return begun
  const found = cluster.findGroupCoordinator({ groupId }).finally(() => searches.delete(cluster))
  found.catch(() => undefined)
  searches.set(cluster, found)
  return found
}

/** Fails as `ask` does, unless another broker is found soon that coordinates the group by now: that one is asked then. */
async function following(asking: Asking, ask: () => Promise<void>): Promise<void> {
  try {
    await ask()
  } catch (err) {
    if (!(err instanceof Error && mayHaveMoved(err))) throw err
    const { coordinator } = asking
    const found = await boundedBy(searchWithinMs, search(asking), 'No coordinator').catch(
      () => coordinator,
    )
    if (found === coordinator) throw err
    asking.coordinator = found
    await ask()
  }
}

function beatFollowing(this: Runner): Promise<void> {
  return following(this.consumerGroup, () => heartbeat.call(this))
}

function commitFollowing(this: OffsetManager, positions?: object): Promise<void> {
  return following(this, () => commitOffsets.call(this, positions))
}

function resolveFollowing(this: OffsetManager): Promise<void> {
  return following(this, () => resolveOffsets.call(this))
}

/**
 * To be called before a process consumes. kafkajs 2.2.4 asks which broker coordinates its group when it joins,
 * and never again: with that broker gone for good it sends heartbeats and commits there for as long as it may
 * try. The next coordinator knows the group as it was, so the member goes on there, as one of Kafka's own does.
 */
export function followMovedCoordinator(): void {
  runner.heartbeat = beatFollowing
  offsets.commitOffsets = commitFollowing
  offsets.resolveOffsets = resolveFollowing
}
