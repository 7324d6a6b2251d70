import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import type { Logger } from 'pino'
import { isMembershipOver } from '../kafkajs-patches/membership/membership-over.ts'

export type CommitFailuresOptions = { groupId: string; metrics?: Metrics | undefined; log: Logger }

const reasonOfType: Readonly<Record<string, CommitFailure>> = {
  REBALANCE_IN_PROGRESS: 'rebalance',
  OFFSET_METADATA_TOO_LARGE: 'metadata_too_large',
  NOT_COORDINATOR_FOR_GROUP: 'coordinator',
  GROUP_COORDINATOR_NOT_AVAILABLE: 'coordinator',
  GROUP_LOAD_IN_PROGRESS: 'coordinator',
  GROUP_AUTHORIZATION_FAILED: 'not_authorized',
  TOPIC_AUTHORIZATION_FAILED: 'not_authorized',
}
const reasons = [
  ...['rebalance', 'membership_over', 'metadata_too_large', 'coordinator', 'not_authorized'],
  ...['unreachable', 'other'],
] as readonly CommitFailure[]

/** Reason of a failed commit. The next join ends the first two. */
export type CommitFailure =
  | 'rebalance'
  | 'membership_over'
  | 'metadata_too_large'
  | 'coordinator'
  | 'not_authorized'
  | 'unreachable'
  | 'other'

/** Milliseconds after which a reason is logged again. Commits are retried ten times a second. */
const warnAgainMs = 10_000

/** Counts failed commits, and warns of those that a join does not cure. */
export class CommitFailures {
  readonly #options: CommitFailuresOptions
  readonly #count: (reason: CommitFailure) => void
  readonly #warnedAt = new Map<CommitFailure, number>()

  constructor(options: CommitFailuresOptions) {
    const { groupId: group, metrics } = options
    this.#options = options
    const counter = metrics?.counter({
      name: 'surehook_kafka_commit_failures_total',
      help: 'Offset commits that failed and are repeated. rebalance and membership_over end with the next join',
      labelNames: ['group', 'reason'],
    })
    for (const reason of reasons) counter?.inc({ group, reason }, 0)
    this.#count = (reason) => counter?.inc({ group, reason })
  }

  /** @param isBehind whether commits are so late that partitions start no more work */
  failed(err: unknown, isBehind: boolean): CommitFailure {
    const reason = reasonOf(err)
    this.#count(reason)
    const isRoutine = (reason === 'rebalance' || reason === 'membership_over') && !isBehind
    if (isRoutine || !this.#isNews(reason)) {
      this.#options.log.debug({ err, reason }, 'consumer.commit.retry')
    } else {
      this.#warnedAt.set(reason, performance.now())
      this.#options.log.warn({ err, reason, startsNothing: isBehind }, 'consumer.commit.failed')
    }
    return reason
  }

  #isNews(reason: CommitFailure): boolean {
    const warnedAt = this.#warnedAt.get(reason)
    return warnedAt === undefined || performance.now() - warnedAt >= warnAgainMs
  }
}

export function reasonOf(err: unknown): CommitFailure {
  if (isMembershipOver(err)) return 'membership_over'
  for (let cause = err; cause instanceof Error; cause = cause.cause) {
    const known = 'type' in cause ? reasonOfType[String(cause.type)] : undefined
    if (known !== undefined) return known
    if (/^KafkaJS(?:Connection|RequestTimeout|BrokerNotFound)/.test(cause.name))
      return 'unreachable'
  }
  return 'other'
}
