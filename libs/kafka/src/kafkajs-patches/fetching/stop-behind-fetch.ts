import { createRequire } from 'node:module'
import { replaceMethods } from '../replace-methods.ts'

type Connection = {
  readonly socket?: { destroy(): void }
  rejectRequests(err: Error): void
  disconnect(): Promise<unknown>
}
type Broker = { readonly connectionPool: { readonly pool: readonly Connection[] } }
type ConsumerGroup = {
  readonly cluster: { readonly brokerPool: { readonly brokers: Readonly<Record<string, Broker>> } }
  fetch(nodeId: string): Promise<object[]>
  recoverFromFetch(err: Error): Promise<void>
}
type Runner = {
  readonly consumerGroup: ConsumerGroup
  readonly running: boolean
  readonly fetchManager: { stop(): Promise<void> }
  fetch(nodeId: string): Promise<object[]>
  stop(): Promise<void>
}

const internal = createRequire(import.meta.url)
const { prototype: runner } = internal('kafkajs/src/consumer/runner') as { prototype: Runner }
const { prototype: group } = internal('kafkajs/src/consumer/consumerGroup') as {
  prototype: ConsumerGroup
}
/** The methods as earlier patches have left them. */
const before = {
  group: {} as Pick<ConsumerGroup, 'fetch' | 'recoverFromFetch'>,
  runner: {} as Pick<Runner, 'fetch' | 'stop'>,
}

/** Functions that abandon a running fetch, by group. There is one fetch per broker. */
const abandons = new WeakMap<ConsumerGroup, Set<() => void>>()
const stopped = new WeakSet<ConsumerGroup>()

async function fetchUntilStopped(this: ConsumerGroup, nodeId: string): Promise<object[]> {
  const { promise, resolve, reject } = Promise.withResolvers<object[]>()
  const abandon = () => resolve([])
  const ofGroup = abandons.get(this) ?? new Set()
  abandons.set(this, ofGroup.add(abandon))
  // Not `Promise.race`: an abandoned fetch may fail later, when its connection is closed.
  before.group.fetch.call(this, nodeId).then(resolve, reject)
  try {
    return await promise
  } finally {
    ofGroup.delete(abandon)
  }
}

async function stopNow(this: Runner): Promise<void> {
  stopped.add(this.consumerGroup)
  // Stops first, so that no further fetch starts.
  const ended = before.runner.stop.call(this)
  for (const abandon of abandons.get(this.consumerGroup) ?? []) abandon()
  await ended
  await hangUpFetches(this.consumerGroup)
}

/**
 * If the brokers of a cluster change just before the stop, kafkajs starts its fetchers again after it
 * and never stops them. It answers their fetches with no records at once, so they would ask for ever,
 * and nothing else of the process would run.
 */
async function fetchWhileRunning(this: Runner, nodeId: string): Promise<object[]> {
  if (this.running) return before.runner.fetch.call(this, nodeId)
  // It ends when this fetch does.
  void this.fetchManager.stop()
  return []
}

/** kafkajs fetches over the second connection to each broker, and does nothing else there. */
const fetchConnection = 1

/** Otherwise the consumer would wait for the answers before it disconnects. */
async function hangUpFetches({ cluster }: ConsumerGroup): Promise<void> {
  const reason = new Error('The consumer has stopped')
  const hangUp = async ({ connectionPool }: Broker) => {
    const connection = connectionPool.pool[fetchConnection]
    connection?.rejectRequests(reason)
    await connection?.disconnect()
    // Nothing reads the answer any more.
    connection?.socket?.destroy()
  }
  await Promise.all(Object.values(cluster.brokerPool.brokers).map(hangUp))
}

/** An abandoned fetch must not open a connection again. */
async function recoverUnlessStopped(this: ConsumerGroup, err: Error): Promise<void> {
  if (!stopped.has(this)) await before.group.recoverFromFetch.call(this, err)
}

/**
 * Call it before a process consumes, after its other patches. kafkajs 2.2.4 stops, and
 * disconnects, only when the broker has answered the running fetch, after up to `maxWaitTimeInMs`
 * without records. A consumer with a long wait would stop slowly.
 */
export function stopDuringFetch(): void {
  replaceMethods(group, before.group, {
    fetch: fetchUntilStopped,
    recoverFromFetch: recoverUnlessStopped,
  })
  replaceMethods(runner, before.runner, { fetch: fetchWhileRunning, stop: stopNow })
}
