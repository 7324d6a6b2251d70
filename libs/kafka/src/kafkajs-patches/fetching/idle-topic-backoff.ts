import { createRequire } from 'node:module'
import { replaceMethods } from '../replace-methods.ts'
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
  readonly subscriptionState: { paused(): object[] }
  maxWaitTime: number
  minBytes: number
  filterPartitionsByNode(nodeId: string, assigned: TopicPartitions[]): TopicPartitions[]
  fetch(nodeId: string): Promise<Batch[]>
}

const { prototype } = createRequire(import.meta.url)('kafkajs/src/consumer/consumerGroup') as {
  prototype: ConsumerGroup
}
/** The methods as earlier patches have left them. */
const before = {} as Pick<ConsumerGroup, 'filterPartitionsByNode' | 'fetch'>

/** Milliseconds after which an empty low-traffic topic is fetched again. */
const everyMs = 50
/**
 * Milliseconds that a fetch of an idle consumer waits. No paused or sought partition waits for its
 * end.
 */
const calmWaitMs = 2_000

type Backoff = { topics: ReadonlySet<string>; isCalm: () => boolean }
/** Backoff settings by group. */
const backoffs = new Map<string, Backoff>()

/** State of a consumer's fetches from one broker. */
type FetchState = {
  /** Time of the last fetch of all topics, by `performance.now()`. */
  at: number
  /** Topics that had records in their last fetch. */
  readonly busy: Set<string>
  /** Whether the last fetch had records. */
  found: boolean
}
const fetchStates = new WeakMap<ConsumerGroup, Map<string, FetchState>>()

function fetchStateOf(group: ConsumerGroup, nodeId: string): FetchState {
  const byNode = fetchStates.get(group) ?? new Map<string, FetchState>()
  fetchStates.set(group, byNode)
  const known = byNode.get(nodeId) ?? { at: Number.NEGATIVE_INFINITY, busy: new Set(), found: true }
  byNode.set(nodeId, known)
  return known
}

/** kafkajs calls this before each fetch and fetches only the returned partitions. */
function partitionsForNow(
  this: ConsumerGroup,
  nodeId: string,
  assigned: TopicPartitions[],
): TopicPartitions[] {
  const all = before.filterPartitionsByNode.call(this, nodeId, assigned)
  const backoff = backoffs.get(this.groupId)
  // A paused consumer fetches nothing and has a wait of 0, which must not be stored as its full
  // wait.
  if (backoff === undefined || this.maxWaitTime === 0) return all
  const { topics: lowTraffic, isCalm } = backoff
  const { maxWaitTime: waitMs } = configuredWait(this)
  const { at, busy } = fetchStateOf(this, nodeId)
  if (lowTraffic.size === 0 || performance.now() - at >= everyMs) {
    fetchStateOf(this, nodeId).at = performance.now()
    this.maxWaitTime = isCalm() ? Math.max(waitMs, calmWaitMs) : waitMs
    return all
  }
  // The topics left out are not fetched during this wait, so it must be short.
  this.maxWaitTime = Math.min(waitMs, everyMs)
  const isSought = ({ topic, partitions }: TopicPartitions) =>
    this.seekOffset.size > 0 && partitions.some((one) => this.seekOffset.has(topic, one))
  return all.filter((one) => !lowTraffic.has(one.topic) || busy.has(one.topic) || isSought(one))
}

async function fetchWhatThereIs(this: ConsumerGroup, nodeId: string): Promise<Batch[]> {
  const last = fetchStateOf(this, nodeId)
  if (isGathering(this)) {
    const mayWait = !last.found && this.subscriptionState.paused().length === 0
    if (mayWait && !(await hasRecords(this, nodeId))) return []
    // Another broker's fetcher may be waiting for records.
    Object.assign(this, configuredWait(this))
  }
  const batches = await before.fetch.call(this, nodeId)
  reportEmptyFetches(this.groupId, batches)
  const found = batches.filter(isWorthPassing)
  last.found = found.length > 0
  const lowTraffic = backoffs.get(this.groupId)?.topics
  if (lowTraffic === undefined) return found
  for (const { topic } of batches) last.busy.delete(topic)
  for (const { topic } of found) if (lowTraffic.has(topic)) last.busy.add(topic)
  return found
}

const isWorthPassing = (batch: Batch) => !batch.isEmpty() || batch.isEmptyDueToFiltering()

/** A consumer whose partitions are all paused fetches nothing, with a wait of 0. */
const isGathering = (group: ConsumerGroup) =>
  group.maxWaitTime !== 0 && configuredWait(group).minBytes > 1

/** Waits long for the first record, and fetches it again later with those that follow it. */
async function hasRecords(group: ConsumerGroup, nodeId: string): Promise<boolean> {
  const configured = configuredWait(group)
  const maxWaitTime = Math.max(configured.maxWaitTime, calmWaitMs)
  Object.assign(group, { minBytes: 1, maxWaitTime })
  try {
    return (await before.fetch.call(group, nodeId)).some(isWorthPassing)
  } finally {
    Object.assign(group, configured)
  }
}

/**
 * Call it before a process consumes. kafkajs 2.2.4 fetches all partitions every time and passes on
 * a batch for each, most of them empty. An idle topic with many partitions then costs broker and
 * client more than the traffic of the others.
 */
export function backOffIdleTopics(): void {
  replaceMethods(prototype, before, {
    filterPartitionsByNode: partitionsForNow,
    fetch: fetchWhatThereIs,
  })
}

/**
 * Declares topics of a group that need no low latency: while they are empty they are fetched 20
 * times a second.
 * @param isCalm whether a fetch without records may wait for two seconds
 */
export function fetchWithBackoff(
  groupId: string,
  topics: readonly string[],
  isCalm: () => boolean,
): void {
  backoffs.set(groupId, { topics: new Set(topics), isCalm })
}
