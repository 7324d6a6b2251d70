import { createRequire } from 'node:module'
import { replaceMethods } from '../replace-methods.ts'
import { configuredWait } from './configured-wait.ts'

type TopicPartitions = { topic: string; partitions: number[] }
type ConsumerGroup = {
  subscriptionState: { active(): TopicPartitions[] }
  maxWaitTime: number
  readonly minBytes: number
  fetch(nodeId: string): Promise<object[]>
  resume(at: TopicPartitions[]): void
  seek(at: { topic: string; partition: number; offset: string }): void
}

const { prototype } = createRequire(import.meta.url)('kafkajs/src/consumer/consumerGroup') as {
  prototype: ConsumerGroup
}
/** The methods as earlier patches have left them. */
const before = {} as Pick<ConsumerGroup, 'fetch' | 'resume' | 'seek'>

/**
 * Longest sleep in milliseconds. kafkajs sends heartbeats and rejoins its group between two
 * fetches.
 */
const longestMs = 250
/** Functions that end a sleep, by group. There is one sleep per broker. */
const sleeps = new WeakMap<ConsumerGroup, Set<() => void>>()

const isPaused = ({ subscriptionState }: ConsumerGroup): boolean =>
  subscriptionState.active().every(({ partitions }) => partitions.length === 0)

async function fetchOrSleep(this: ConsumerGroup, nodeId: string): Promise<object[]> {
  if (!isPaused(this)) return before.fetch.call(this, nodeId)
  const batches = await fetchNothing(this, nodeId)
  if (!isPaused(this)) return batches
  const { promise, resolve } = Promise.withResolvers<void>()
  const ofGroup = sleeps.get(this) ?? new Set()
  sleeps.set(this, ofGroup.add(resolve))
  const timer = setTimeout(resolve, longestMs)
  await promise
  clearTimeout(timer)
  ofGroup.delete(resolve)
  return []
}

/** Runs the other parts of a fetch: it looks for new leaders and resolves start offsets. */
async function fetchNothing(group: ConsumerGroup, nodeId: string): Promise<object[]> {
  const { maxWaitTime } = configuredWait(group)
  group.maxWaitTime = 0
  try {
    return await before.fetch.call(group, nodeId)
  } finally {
    group.maxWaitTime = maxWaitTime
  }
}

function wake(group: ConsumerGroup): void {
  for (const end of sleeps.get(group) ?? []) end()
}

function resumeNow(this: ConsumerGroup, at: TopicPartitions[]): void {
  before.resume.call(this, at)
  wake(this)
}

function seekNow(this: ConsumerGroup, at: Parameters<ConsumerGroup['seek']>[0]): void {
  before.seek.call(this, at)
  wake(this)
}

/**
 * Call it before a process consumes, and before the patch that stops during a fetch. kafkajs 2.2.4
 * checks every `maxWaitTimeInMs` whether all partitions are still paused. A short wait keeps waking
 * an idle reader, and a long one delays its resumption.
 */
export function sleepWhilePaused(): void {
  replaceMethods(prototype, before, { fetch: fetchOrSleep, resume: resumeNow, seek: seekNow })
}
