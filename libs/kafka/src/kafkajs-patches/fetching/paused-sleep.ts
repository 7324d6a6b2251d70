import { createRequire } from 'node:module'
import { configuredWait } from './configured-wait.ts'

type TopicPartitions = { topic: string; partitions: number[] }
type ConsumerGroup = {
  subscriptionState: { active(): TopicPartitions[] }
  maxWaitTime: number
  fetch(nodeId: string): Promise<object[]>
  resume(at: TopicPartitions[]): void
  seek(at: { topic: string; partition: number; offset: string }): void
}

const { prototype } = createRequire(import.meta.url)('kafkajs/src/consumer/consumerGroup') as {
  prototype: ConsumerGroup
}
const { resume, seek } = prototype
/** As other patches have left it. */
const before = { fetch: prototype.fetch }

/** Between two fetches kafkajs sends heartbeats, and joins its group again when it must. */
const longestMs = 250
/** Ends the sleep, by group: one for each broker. */
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

/** It does what a fetch does besides: it looks for new leaders, and learns where reading begins. */
async function fetchNothing(group: ConsumerGroup, nodeId: string): Promise<object[]> {
  const waitMs = configuredWait(group)
  group.maxWaitTime = 0
  try {
    return await before.fetch.call(group, nodeId)
  } finally {
    group.maxWaitTime = waitMs
  }
}

function wake(group: ConsumerGroup): void {
  for (const end of sleeps.get(group) ?? []) end()
}

function resumeNow(this: ConsumerGroup, at: TopicPartitions[]): void {
  resume.call(this, at)
  wake(this)
}

function seekNow(this: ConsumerGroup, at: Parameters<ConsumerGroup['seek']>[0]): void {
  seek.call(this, at)
  wake(this)
}

/**
 * To be called before a process consumes, before the patch that stops during a fetch. kafkajs 2.2.4 looks every
 * `maxWaitTimeInMs` whether partitions that are all paused go on: with a short wait an idle reader wakes up
 * all the time, and with a long one it begins late.
 */
export function sleepWhilePaused(): void {
  if (prototype.fetch !== fetchOrSleep) before.fetch = prototype.fetch
  prototype.fetch = fetchOrSleep
  prototype.resume = resumeNow
  prototype.seek = seekNow
}
