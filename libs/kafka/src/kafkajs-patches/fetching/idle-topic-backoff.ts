import { createRequire } from 'node:module'
import { configuredWait } from './configured-wait.ts'
import { reportEmptyFetches } from './empty-fetches.ts'

type TopicPartitions = { topic: string; partitions: number[] }
type Batch = {
  topic: string
  partition: number
  fetchedOffset: string
  rawMessages: object[]
  isEmpty(): boolean
  isEmptyDueToFiltering(): boolean
}
type ConsumerGroup = {
  readonly groupId: string
  readonly seekOffset: { size: number; has(topic: string, partition: number): boolean }
  maxWaitTime: number
  filterPartitionsByNode(nodeId: string, assigned: TopicPartitions[]): TopicPartitions[]
  fetch(nodeId: string): Promise<Batch[]>
}

const { prototype } = createRequire(import.meta.url)('kafkajs/src/consumer/consumerGroup') as {
  prototype: ConsumerGroup
}
const { filterPartitionsByNode, fetch } = prototype

/** A seldom topic that had nothing is asked for again after so long. */
const everyMs = 50
/** A fetch of a consumer that is calm waits so long: nothing that it has paused or sought waits for its end. */
const calmWaitMs = 500

type Backoff = { topics: ReadonlySet<string>; isCalm: () => boolean }
/** By group. */
const backoffs = new Map<string, Backoff>()

/** What a consumer has asked a broker for. */
type Asked = {
  /** When it asked for all topics. */
  at: number
  /** Those that had something then. */
  readonly busy: Set<string>
}
const asked = new WeakMap<ConsumerGroup, Map<string, Asked>>()

function askedOf(group: ConsumerGroup, nodeId: string): Asked {
  const byNode = asked.get(group) ?? new Map<string, Asked>()
  asked.set(group, byNode)
  const known = byNode.get(nodeId) ?? { at: Number.NEGATIVE_INFINITY, busy: new Set() }
  byNode.set(nodeId, known)
  return known
}

/** kafkajs asks this before each fetch, and fetches nothing else. */
function partitionsForNow(
  this: ConsumerGroup,
  nodeId: string,
  assigned: TopicPartitions[],
): TopicPartitions[] {
  const all = filterPartitionsByNode.call(this, nodeId, assigned)
  const backoff = backoffs.get(this.groupId)
  // A consumer that is paused asks for nothing, without a wait that must not be taken for its own.
  if (backoff === undefined || this.maxWaitTime === 0) return all
  const { topics: seldom, isCalm } = backoff
  const waitMs = configuredWait(this)
  const { at, busy } = askedOf(this, nodeId)
  if (seldom.size === 0 || performance.now() - at >= everyMs) {
    askedOf(this, nodeId).at = performance.now()
    this.maxWaitTime = isCalm() ? Math.max(waitMs, calmWaitMs) : waitMs
    return all
  }
  // As long as it waits, the others are not looked at.
  this.maxWaitTime = Math.min(waitMs, everyMs)
  const isSought = ({ topic, partitions }: TopicPartitions) =>
    this.seekOffset.size > 0 && partitions.some((one) => this.seekOffset.has(topic, one))
  return all.filter((one) => !seldom.has(one.topic) || busy.has(one.topic) || isSought(one))
}

async function fetchWhatThereIs(this: ConsumerGroup, nodeId: string): Promise<Batch[]> {
  const batches = await fetch.call(this, nodeId)
  reportEmptyFetches(this.groupId, batches)
  const seldom = backoffs.get(this.groupId)?.topics
  const found = batches.filter((batch) => !batch.isEmpty() || batch.isEmptyDueToFiltering())
  if (seldom === undefined) return found
  const { busy } = askedOf(this, nodeId)
  for (const { topic } of batches) busy.delete(topic)
  for (const { topic } of found) if (seldom.has(topic)) busy.add(topic)
  return found
}

/**
 * To be called before a process consumes. kafkajs 2.2.4 hands on a batch for each partition that it asked for,
 * most of them empty, and asks for all of them each time: of an idle topic with many partitions that
 * costs broker and client more than what the others bring.
 */
export function backOffIdleTopics(): void {
  prototype.filterPartitionsByNode = partitionsForNow
  prototype.fetch = fetchWhatThereIs
}

/**
 * Topics of a group on which nothing is in a hurry: while they have nothing they are asked for 20 times a second.
 * @param isCalm whether a fetch that finds nothing may wait for 500 ms
 */
export function fetchWithBackoff(
  groupId: string,
  topics: readonly string[],
  isCalm: () => boolean,
): void {
  backoffs.set(groupId, { topics: new Set(topics), isCalm })
}
