import { setTimeout as sleep } from 'node:timers/promises'
import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import type { EachBatchPayload, Kafka, KafkaMessage } from 'kafkajs'
import type { Logger } from 'pino'
import { consumerLag } from '../offsets/consumer-lag.ts'
import { GatheredCommits } from './gathered-commits.ts'
import { SupervisedConsumer } from './supervised-consumer.ts'

export type OrderedBatch = {
  topic: string
  partition: number
  /** In the order of their offsets; never empty. */
  messages: KafkaMessage[]
  /** Aborted when the partition may have another owner, and when the consumer stops. */
  signal: AbortSignal
}

export type OrderedConsumerOptions = {
  kafka: Kafka
  groupId: string
  topics: readonly string[]
  /** Where a group begins that has committed nothing yet. */
  fromBeginning: boolean
  /**
   * Returning lets the batch be committed. Throwing repeats it in place, with growing waits and for
   * ever: what can never succeed must be put elsewhere by the handler (`refuseInvalid`).
   */
  handleBatch: (batch: OrderedBatch) => Promise<void>
  /** Number of partitions handled at the same time. */
  concurrency?: number
  metrics?: Metrics | undefined
  log: Logger
}

export type OrderedConsumer = AsyncDisposable & {
  /** Resolves when the group is joined for the first time. */
  readonly ready: Promise<void>
  readonly healthy: boolean
}

const beatEveryMs = 1_000
const longestWaitMs = 5_000

/** Handles every message of a partition in order and at least once. */
export function runOrderedConsumer(options: OrderedConsumerOptions): OrderedConsumer {
  const { kafka, groupId, topics, fromBeginning, concurrency = 1, metrics, log } = options
  const lag = metrics?.gauge(consumerLag)
  const commits = new GatheredCommits()
  const consumer: SupervisedConsumer = new SupervisedConsumer({
    kafka,
    groupId,
    topics,
    fromBeginning,
    concurrency,
    log,
    eachBatch: async (payload) => {
      const done = await handleUntilDone(payload, { ...options, commits }, consumer.stopping)
      if (!done) return
      const { topic, partition, highWatermark } = payload.batch
      const next = BigInt(payload.batch.lastOffset()) + 1n
      lag?.set(
        { group: groupId, topic, partition: String(partition) },
        Number(BigInt(highWatermark) - next),
      )
    },
  })
  return consumer
}

type Handling = Pick<OrderedConsumerOptions, 'handleBatch' | 'log' | 'groupId'> & {
  commits: GatheredCommits
}

/** False when it was stopped before the batch was handled and committed: it will come again. */
export async function handleUntilDone(
  payload: EachBatchPayload,
  { handleBatch, commits, log, groupId }: Handling,
  stopping: AbortSignal,
): Promise<boolean> {
  const { batch } = payload
  if (payload.isStale() || stopping.aborted) return false
  const { topic, partition, messages } = batch
  using membership = keepMembership(payload, log)
  const signal = AbortSignal.any([stopping, membership.lost])
  const at = { groupId, topic, partition, offset: batch.firstOffset() }
  const repeat = async (failure: string, work: () => Promise<void>): Promise<boolean> => {
    for (let tries = 1; ; tries++) {
      try {
        await work()
        return true
      } catch (err) {
        // Thrown on, it makes the library join the group again.
        membership.lost.throwIfAborted()
        if (stopping.aborted) return false
        log.warn({ err, ...at, tries }, failure)
        const waitMs = Math.min(100 * 2 ** Math.min(tries - 1, 10), longestWaitMs)
        await sleep(waitMs, undefined, { signal }).catch(() => undefined)
      }
    }
  }
  const handle = () => handleBatch({ topic, partition, messages, signal })
  if (!(await repeat('batch.failed', handle))) return false
  // Left to the next batch it would wait for one to come.
  // Also when a rebalance has begun: until the group is complete again the commit still counts.
  const commit = () => commits.add(payload).catch(membership.judge)
  if (!(await repeat('batch.uncommitted', commit))) return false
  payload.resolveOffset(batch.lastOffset())
  membership.lost.throwIfAborted()
  return true
}

/** Errors of a heartbeat or a commit after which this member owns nothing any more. */
const lostTypes = new Set([
  'REBALANCE_IN_PROGRESS',
  'ILLEGAL_GENERATION',
  'UNKNOWN_MEMBER_ID',
  'NOT_COORDINATOR_FOR_GROUP',
  'FENCED_INSTANCE_ID',
])

type Membership = Disposable & {
  readonly lost: AbortSignal
  /** Throws the error on; what it means for the membership is known then. */
  judge: (err: unknown) => never
}

function keepMembership({ heartbeat }: EachBatchPayload, log: Logger): Membership {
  const lost = new AbortController()
  const judge = (err: unknown): never => {
    const type = err instanceof Error && 'type' in err ? String(err.type) : ''
    if (lostTypes.has(type)) lost.abort(err)
    throw err
  }
  const timer = setInterval(() => {
    // A broker that is away for a moment takes no partition from us.
    const failed = (err: unknown) => log.debug({ err }, 'consumer.heartbeat')
    heartbeat().catch(judge).catch(failed)
  }, beatEveryMs)
  return { lost: lost.signal, judge, [Symbol.dispose]: () => clearInterval(timer) }
}
