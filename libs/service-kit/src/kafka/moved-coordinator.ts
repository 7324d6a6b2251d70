import { createRequire } from 'node:module'

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

/** Fails as `ask` does, unless another broker coordinates the group by now: that one is asked then. */
async function following(asking: Asking, ask: () => Promise<void>): Promise<void> {
  try {
    await ask()
  } catch (err) {
    if (!(err instanceof Error && mayHaveMoved(err))) throw err
    const { groupId, cluster, coordinator } = asking
    const found = await cluster.findGroupCoordinator({ groupId }).catch(() => coordinator)
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
