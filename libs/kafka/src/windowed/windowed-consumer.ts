import { boundedBy } from '@surehook/service-kit/bounded'
import { LoopShare } from '@surehook/service-kit/slots/loop-share'
import type { Consumer, EachBatchPayload } from 'kafkajs'
import type { KafkaMessage } from '../client/surface.ts'
import { MemberLease } from '../consumer/member-lease.ts'
import { fetchedFrom, PartitionReader } from '../consumer/partition-reader.ts'
import { SupervisedConsumer } from '../consumer/supervised-consumer.ts'
import { whileBeating } from '../consumer/while-beating.ts'
import { fetchWithBackoff } from '../kafkajs-patches/fetching/idle-topic-backoff.ts'
import { watchOutOfRange } from '../kafkajs-patches/fetching/truncated-logs.ts'
import { readFromMemory } from '../loopback/loopback-reader.ts'
import { meterLag } from '../offsets/consumer-lag.ts'
import { LogEnds } from '../offsets/log-ends.ts'
import type { AssignedPartition } from './assigned-partition.ts'
import { AssignedPartitions } from './assigned-partitions.ts'
import { CommitFailures } from './commit-failures.ts'
import { CommitLoop } from './commit-loop.ts'
import * as times from './membership-times.ts'
import { PartitionCount } from './partition-count.ts'
import type { PartitionControl } from './partition-handler.ts'
import { partitionMeters } from './partition-meters.ts'
import { Rebalance } from './rebalance/rebalance.ts'
import type { WindowedConsumerOptions } from './windowed-consumer-options.ts'
import type { WindowedMessage } from './windowed-message.ts'

export type { WindowedConsumerOptions } from './windowed-consumer-options.ts'
export type { WindowedMessage } from './windowed-message.ts'

/**
 * Reads ahead of the commit: many messages of a partition are open at once and finish in any order.
 * It commits the contiguous prefix, with the finished offsets above it in the metadata. A member
 * gets the same partitions of every topic.
 */
export class WindowedConsumer implements AsyncDisposable, PartitionControl {
  readonly #options: WindowedConsumerOptions
  readonly #reader: PartitionReader
  readonly #assignments: AssignedPartitions
  readonly #count: PartitionCount
  readonly #commits: CommitLoop
  #group: SupervisedConsumer | null = null
  readonly #rebalance: Rebalance
  readonly #lease = new MemberLease(times.leaseMs)
  readonly #lag: AsyncDisposable | null = null
  readonly #outOfRange: Disposable
  readonly #share = new LoopShare()
  #joined = false
  #heardAt = 0
  #stopping = false

  constructor(options: WindowedConsumerOptions) {
    this.#options = options
    const { groupId, topics, lowTraffic = [] } = options
    fetchWithBackoff(groupId, lowTraffic, () => this.#mayWait)
    const busy = topics.filter((topic) => !lowTraffic.includes(topic))
    readFromMemory(groupId, busy)
    this.#reader = new PartitionReader(() => (this.#joined && this.#group?.current) || null)
    const ends = new LogEnds(options.kafka, options.topics, options.log)
    this.#count = new PartitionCount(ends, () => options.handler.partitionsAdded?.())
    const own = { ...options, control: this, count: this.#count }
    this.#assignments = new AssignedPartitions(own, this.#reader, ends)
    this.#outOfRange = watchOutOfRange(options.groupId, (at) => this.#assignments.outOfRange(at))
    if (options.metrics !== undefined) {
      const assignments = () => this.#assignments.all()
      partitionMeters(options.metrics, { ...options, assignments })
      this.#lag = meterLag(options.metrics, { ...options, progress: assignments })
    }
    this.#commits = new CommitLoop({
      consumer: this.#reader,
      intervalMs: options.commitIntervalMs,
      enough: options.commitAtOnce,
      assignments: () => this.#assignments.committable(),
      onCommitted: () => options.handler.committed?.(),
      failures: new CommitFailures(options),
    })
    this.#rebalance = new Rebalance({
      options,
      assignments: this.#assignments,
      commits: this.#commits,
      isStopping: () => this.#stopping,
      confirmed: () => this.#lease.taken(),
    })
  }

  /** True while this process is a member of the group and the broker answers. */
  get healthy(): boolean {
    return this.#joined && performance.now() - this.#heardAt < times.silenceMs
  }

  get mayStart(): boolean {
    return this.#joined && this.#lease.holds && !this.#commits.isBehind
  }

  get partitions(): number {
    return this.#count.partitions
  }

  commitSoon(assignment: AssignedPartition): void {
    assignment.dirty = true
    this.#commits.wake(assignment)
  }

  /** True if nothing waits for the end of a fetch. */
  get #mayWait(): boolean {
    const isReadOn = ({ paused, isPostponed, backlog }: AssignedPartition) =>
      (!paused || isPostponed) && !backlog?.waiting
    const all = [...this.#assignments.all()]
    // A partition that is being loaded is resumed.
    const isLoaded = all.length > 0 && this.#assignments.unloaded.length === 0
    return !this.#options.handler.seeksSoon && isLoaded && all.every(isReadOn)
  }

  /** Number of messages that were read and are not finished. */
  get open(): number {
    return [...this.#assignments.all()].reduce((sum, { open }) => sum + open, 0)
  }

  /** Resolves when the group is joined. */
  async start(): Promise<void> {
    const { kafka, groupId, topics, log } = this.#options
    await this.#assignments.connect()
    this.#group ??= new SupervisedConsumer({
      kafka,
      groupId,
      topics,
      fromBeginning: true,
      // kafkajs fetches again only after every batch of the last fetch was handled. The handler
      // returns at once, so more workers would not help.
      concurrency: 1,
      autoResolve: true,
      config: {
        sessionTimeout: times.sessionMs,
        heartbeatInterval: 1_000,
        // kafkajs resumes a paused partition only after the running fetch, so fetches must be
        // short.
        maxWaitTimeInMs: 100,
        partitionAssigners: this.#rebalance.assigners,
      },
      onConsumer: (consumer) => this.#watchGroup(consumer),
      eachBatch: (payload) => this.#eachBatch(payload),
      log,
    })
    await this.#group.ready
  }

  seek(topic: string, partition: number, offset: number): void {
    this.#reader.seek({ topic, partition, offset: String(offset) })
  }

  pause(topic: string, partition: number): void {
    this.#reader.pause([{ topic, partitions: [partition] }])
  }

  resume(topic: string, partition: number): void {
    this.#reader.resume([{ topic, partitions: [partition] }])
  }

  /** Stops reading. Messages in flight may still finish, and `asyncDispose` commits them. */
  stopReading(): void {
    this.#stopping = true
    this.#assignments.pauseAll()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { log } = this.#options
    this.stopReading()
    // While Kafka is unreachable nothing can be committed. The next owner repeats uncommitted
    // messages.
    const committed = boundedBy(times.commitWithinMs, this.#commits.stop(), 'Kafka is away')
    await committed.catch((err) => log.warn({ err }, 'consumer.uncommitted'))
    this.#rebalance.lost()
    this.#assignments.revokeAll('stopped')
    await this.#group?.[Symbol.asyncDispose]()
    this.#outOfRange[Symbol.dispose]()
    const closed = boundedBy(times.closeWithinMs, this.#assignments.disconnect(), 'Kafka is away')
    await closed.catch((err) => log.debug({ err }, 'consumer.close'))
    await this.#lag?.[Symbol.asyncDispose]()
  }

  async #eachBatch(payload: EachBatchPayload): Promise<void> {
    const { batch } = payload
    const assignment = await this.#assignmentOf(payload)
    if (assignment === undefined) return
    // Skipped messages would count as a gap of the log, and so as finished.
    if (this.#assignments.isAhead(assignment, Number(batch.messages[0]?.offset ?? 0))) return
    assignment.backlog?.begin()
    this.#options.handler.beforeRead?.(assignment, fetchedFrom(batch))
    const { next, postponedMs } = this.#offerAll(assignment, batch.messages)
    const position = Number(batch.lastOffset()) + 1
    assignment.end = Math.max(assignment.end, Number(batch.highWatermark))
    this.#assignments.wasRead(assignment, { next: next ?? position, position, postponedMs })
    this.#assignments.lookedBack(assignment, batch.messages)
    // If the log was trimmed during the look back, kafkajs has committed its start without
    // metadata.
    if (Number(batch.firstOffset()) <= assignment.committed) assignment.dirty = true
    this.#options.handler.afterRead?.(assignment, position)
    if (assignment.dirty) this.#commits.wake(assignment)
    await payload.heartbeat()
    await this.#share.yieldWhenLong()
  }

  /**
   * Resolves with the assigned partition of a batch, or undefined if the batch must not be read
   * now.
   */
  async #assignmentOf({ batch, isStale, heartbeat }: EachBatchPayload) {
    const assignment = await this.#assignments.ready(batch.topic, batch.partition)
    if (!assignment || isStale() || this.#stopping) return undefined
    if (assignment.backlog === null) return assignment
    const known = this.#options.handler.whenTenantsKnown?.(batch.messages, assignment.lease)
    if (known !== undefined) await whileBeating(known, heartbeat)
    return assignment.lease.aborted || isStale() ? undefined : assignment
  }

  /** @returns the offset of the first message that was not examined, if it was not the last one */
  #offerAll(assignment: AssignedPartition, messages: readonly KafkaMessage[]): OfferedUpTo {
    const { handler, aheadMs = Number.POSITIVE_INFINITY } = this.#options
    for (const message of messages) {
      const offset = Number(message.offset)
      const waitMs = () => handler.waitMs?.(assignment.topic, message) ?? 0
      const postponedMs = assignment.postponedMs(offset, waitMs, aheadMs)
      if (postponedMs !== null) return { next: offset, postponedMs }
      this.#offer(assignment, message)
      if (assignment.backlog?.hasEnough) return { next: offset + 1 }
    }
    return {}
  }

  #offer(assignment: AssignedPartition, message: KafkaMessage): void {
    const { topic, partition } = assignment
    const offset = Number(message.offset)
    const { value } = message
    const { handler } = this.#options
    if (offset < assignment.committed) {
      handler.finishedBefore?.({ topic, partition, value })
      return
    }
    const taken = assignment.take(
      offset,
      value?.length ?? 0,
      () => handler.tenantOf?.(message) ?? '',
    )
    if (taken === 'finished' || taken === 'waits') return
    handler.handle(this.#windowed(assignment, offset, message, taken === 'open'))
  }

  /**
   * Its own function, so that the closures do not keep the message: it is a slice of the whole
   * fetch response.
   */
  #windowed(
    assignment: AssignedPartition,
    offset: number,
    { key, value, headers, timestamp }: KafkaMessage,
    reread: boolean,
  ): WindowedMessage {
    const { topic, partition, lease } = assignment
    return {
      ...{ topic, partition, offset, key, value, timestamp, lease, reread },
      ...(headers && { headers }),
      finish: () => {
        assignment.finish(offset)
        this.#assignments.released(assignment)
        this.#commits.wake(assignment)
      },
      detach: () => {
        assignment.detach(offset)
        this.#assignments.released(assignment)
      },
    }
  }

  #watchGroup(consumer: Consumer): void {
    const { GROUP_JOIN, REBALANCING, CRASH, FETCH, HEARTBEAT, REQUEST } = consumer.events
    const heard = () => {
      this.#heardAt = performance.now()
    }
    consumer.on(FETCH, heard)
    consumer.on(REQUEST, ({ payload }) => this.#lease.saw(payload))
    consumer.on(HEARTBEAT, () => {
      heard()
      this.#lease.taken()
      this.#commits.confirmed()
      this.#rebalance.confirmed()
    })
    consumer.on(GROUP_JOIN, ({ payload }) => {
      this.#joined = true
      heard()
      this.#lease.taken()
      this.#commits.joined()
      this.#rebalance.joined(payload)
    })
    consumer.on(REBALANCING, () => this.#rebalance.begin())
    consumer.on(CRASH, () => {
      this.#joined = false
      this.#rebalance.lost()
    })
  }
}

type OfferedUpTo = { next?: number; postponedMs?: number }
