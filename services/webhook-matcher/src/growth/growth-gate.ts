import { setTimeout as sleep } from 'node:timers/promises'
import { dispatcherGroup } from '@surehook/contracts/groups'
import type { Kafka } from '@surehook/kafka/client/surface'
import { withAdmin } from '@surehook/kafka/client/with-admin'
import {
  fetchGroupCommits,
  type GroupCommit,
  type GroupCommits,
} from '@surehook/kafka/offsets/group-commits'
import { decodeJobPartitions } from '@surehook/kafka/offsets/job-partitions-note'
import { LogEnds, type PartitionEnd } from '@surehook/kafka/offsets/log-ends'
import { decodeNote } from '@surehook/kafka/offsets/offset-tracker'
import { decodeRerouted } from '@surehook/kafka/offsets/rerouted-note'
import { unusedPartitions } from '@surehook/kafka/topics/grow-topics'
import { writersKnowWithinMs } from '@surehook/kafka/topics/partition-lease'
import type { Logger } from 'pino'
import type { Topics } from '../config.ts'

export type GrowthGateOptions = {
  kafka: Kafka
  groupId: string
  topics: Pick<Topics, 'changes' | 'deliveries'>
  log: Logger
  /** Only tests use another time. */
  writersKnowMs?: number
}

const pollMs = 250
/** How often it asks after the first ten seconds. */
const seldomMs = 2_000
const oftenForMs = 10_000
const logEveryMs = 30_000

/** Waits until work may begin that follows earlier work in other partitions. */
export class GrowthGate implements AsyncDisposable {
  readonly #options: GrowthGateOptions
  readonly #changes: LogEnds
  readonly #deliveries: LogEnds

  constructor(options: GrowthGateOptions) {
    const { kafka, topics, log } = options
    this.#options = options
    this.#changes = new LogEnds(kafka, [topics.changes], log)
    this.#deliveries = new LogEnds(kafka, [topics.deliveries], log)
  }

  /**
   * Resolves when the changes of an added partition may be matched: every writer knows the partition,
   * and all earlier changes of its records are matched.
   * @returns among how many partitions its jobs may be divided. They then follow the earlier ones.
   */
  async newPartition(partition: number, partitions: number, signal: AbortSignal): Promise<number> {
    const { writersKnowMs = writersKnowWithinMs } = this.#options
    const { changes } = this.#options.topics
    const before = await this.#commits(this.#options.groupId, changes)
    const numbers = [...Array(partitions).keys()]
    const committed = numbers.filter((of) => of !== partition && before(changes, of).offset >= 0)
    await sleep(writersKnowMs, undefined, { signal })
    const ends = await this.#changes.read()
    const earlier = ends.filter((of) => committed.includes(of.partition))
    let fewest = partitions
    await this.#until('matched', signal, async () => {
      const commitOf = await this.#commits(this.#options.groupId, changes)
      const commits = earlier.map((of) => ({ ...of, ...commitOf(changes, of.partition) }))
      // A matcher notes the number soon after it got a partition from an earlier version.
      const numberOf = (commit: GroupCommit) => decodeJobPartitions(decodeNote(commit.metadata))
      fewest = Math.min(partitions, ...commits.map((commit) => numberOf(commit) ?? partitions))
      return commits.filter((commit) => commit.offset < commit.end || numberOf(commit) === null)
    })
    return fewest
  }

  /**
   * Resolves when all jobs that Kafka has acknowledged are in the partition of their endpoint.
   * @param partitions of the topics
   */
  async rerouted(partitions: number, signal: AbortSignal): Promise<void> {
    const { deliveries } = this.#options.topics
    const ends = await this.#deliveries.read()
    await this.#until('rerouted', signal, async () => {
      const commitOf = await this.#commits(dispatcherGroup, deliveries)
      return ends.filter(({ partition, end }) => {
        const { metadata } = commitOf(deliveries, partition)
        const note = decodeRerouted(decodeNote(metadata))
        return note === null || note.partitions < partitions || note.below < end
      })
    })
  }

  /** Returns the partitions of `changes` that webhook-matcher does not use yet. */
  async unused(partitions: number): Promise<number[]> {
    const { groupId, topics } = this.#options
    return unusedPartitions(
      partitions,
      await this.#commits(groupId, topics.changes),
      topics.changes,
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([
      this.#changes[Symbol.asyncDispose](),
      this.#deliveries[Symbol.asyncDispose](),
    ])
  }

  #commits(groupId: string, topic: string): Promise<GroupCommits> {
    const { kafka } = this.#options
    return withAdmin(kafka, (admin) => fetchGroupCommits(admin, { groupId, topics: [topic] }))
  }

  async #until(
    what: string,
    signal: AbortSignal,
    missing: () => Promise<PartitionEnd[]>,
  ): Promise<void> {
    const since = performance.now()
    let loggedAt = since
    for (;;) {
      signal.throwIfAborted()
      const partitions = (await missing()).map(({ partition }) => partition)
      if (partitions.length === 0) return
      if (performance.now() - loggedAt > logEveryMs) {
        loggedAt = performance.now()
        this.#options.log.warn({ partitions }, `growth.not_${what}`)
      }
      const isLong = performance.now() - since > oftenForMs
      await sleep(isLong ? seldomMs : pollMs, undefined, { signal })
    }
  }
}
