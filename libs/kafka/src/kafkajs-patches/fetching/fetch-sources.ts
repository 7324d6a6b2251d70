import { createRequire } from 'node:module'
import { replaceMethods } from '../replace-methods.ts'
import { configuredWait } from './configured-wait.ts'

type TopicPartition = { topic: string; partition: number }
/** The result of a fetch for one partition. */
export type Batch = TopicPartition & { rawMessages: readonly { offset: string }[] }
export type ConsumerGroup = {
  readonly groupId: string
  readonly cluster: { readonly brokerPool: { readonly metadata: { clusterId?: string } | null } }
  readonly seekOffset: { readonly size: number; has(topic: string, partition: number): boolean }
  readonly offsetManager: {
    readonly memberAssignment: Record<string, number[]>
    readonly resolvedOffsets: Record<string, Record<number, string>>
  } | null
  isPaused(topic: string, partition: number): boolean
  findReadReplicaForPartitions(topic: string, partitions: number[]): Record<string, number[]>
  maxWaitTime: number
  readonly minBytes: number
  fetch(nodeId: string): Promise<Batch[]>
}
type Runner = { consumerGroup: ConsumerGroup; stop(): Promise<void> }

/** Decides where a consumer gets its next batches. */
export type FetchSource = Disposable & { fetch(nodeId: string): Promise<Batch[]> }
type Open = (consumerGroup: ConsumerGroup) => FetchSource

const internal = createRequire(import.meta.url)
const { prototype: group } = internal('kafkajs/src/consumer/consumerGroup') as {
  prototype: ConsumerGroup
}
const { prototype: runner } = internal('kafkajs/src/consumer/runner') as { prototype: Runner }
const FetchedBatch = internal('kafkajs/src/consumer/batch') as new (
  topic: string,
  position: string,
  partition: { partition: number; highWatermark: string; messages: readonly object[] },
) => Batch
/** The methods as earlier patches have left them. */
const before = {
  group: {} as Pick<ConsumerGroup, 'fetch'>,
  runner: {} as Pick<Runner, 'stop'>,
}

const opens = new Map<string, Open>()
const sources = new WeakMap<ConsumerGroup, FetchSource>()

function sourceOf(consumerGroup: ConsumerGroup): FetchSource | undefined {
  const open = opens.get(consumerGroup.groupId)
  if (open === undefined) return undefined
  const source = sources.get(consumerGroup) ?? open(consumerGroup)
  sources.set(consumerGroup, source)
  return source
}

/** A consumer whose partitions are all paused has a wait of 0, and reads nothing. */
function fetchFromSource(this: ConsumerGroup, nodeId: string): Promise<Batch[]> {
  const source = this.maxWaitTime === 0 ? undefined : sourceOf(this)
  return source?.fetch(nodeId) ?? before.group.fetch.call(this, nodeId)
}

async function stopWithSource(this: Runner): Promise<void> {
  sources.get(this.consumerGroup)?.[Symbol.dispose]()
  await before.runner.stop.call(this)
}

/**
 * Call it before a process consumes, after the patches of the requests, and before those that stop
 * and rejoin. kafkajs 2.2.4 has no way to hand records to a consumer without a fetch.
 */
export function fetchFromSources(): void {
  replaceMethods(group, before.group, { fetch: fetchFromSource })
  replaceMethods(runner, before.runner, { stop: stopWithSource })
}

/** Every consumer of the group gets its batches from a source, which may ask Kafka. */
export function openFetchSource(groupId: string, open: Open): void {
  opens.set(groupId, open)
}

/** @param atOnce the broker answers even if it has no records */
export async function askBroker(
  consumerGroup: ConsumerGroup,
  nodeId: string,
  { atOnce }: { atOnce: boolean },
): Promise<Batch[]> {
  const { maxWaitTime } = configuredWait(consumerGroup)
  if (atOnce) consumerGroup.maxWaitTime = 0
  try {
    return await before.group.fetch.call(consumerGroup, nodeId)
  } finally {
    if (atOnce) consumerGroup.maxWaitTime = maxWaitTime
  }
}

/** The records of a partition from a position on, as a fetch returns them. */
export type RecordsFrom = TopicPartition & { position: number; messages: readonly object[] }

export function batchOf({ topic, partition, position, messages }: RecordsFrom): Batch {
  const highWatermark = String(position + messages.length)
  return new FetchedBatch(topic, String(position), { partition, highWatermark, messages })
}
