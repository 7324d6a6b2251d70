import { setTimeout as sleep } from 'node:timers/promises'
import { backoffMs } from '@surehook/service-kit/backoff'
import { orAborted } from '@surehook/service-kit/bounded'
import { reasonOf } from '@surehook/service-kit/errors'
import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import type { Logger } from 'pino'
import type { Kafka } from '../../client/surface.ts'
import { announceProduced } from '../../loopback/produced-batch.ts'
import { UnsendableError } from '../unsendable-error.ts'
import { type Entry, entriesOf, type OutgoingRecord } from './entry.ts'
import type { PartitionQueue, ProducerIdentity } from './partition-queue.ts'
import { type ProduceAnswer, ProduceConnection } from './produce-connection.ts'
import { outcomeOf } from './produce-outcome.ts'
import { producedBatch } from './produced-batch.ts'
import { type ProducerMeters, producerMeters } from './producer-meters.ts'
import { type RequestSequence, type ScheduledBatch, SendSchedule } from './send-schedule.ts'
import { TopicDirectory } from './topic-directory.ts'
import { UnavailablePartitions } from './unavailable-partitions.ts'

export type SenderOptions = {
  log: Logger
  metrics?: Metrics | undefined
  /**
   * For records without a waiting caller: minimum milliseconds between the starts of two requests,
   * because a request costs as much as about twenty records. Records after a pause are sent at
   * once, and so are many records.
   */
  gatherMs?: number | undefined
}

/** Milliseconds for which a partition with slow replicas delays the others of its request, once. */
const timeoutMs = 2_000
const asideTimeoutMs = 5_000
const backoff = { firstMs: 100, longestMs: 1_000 }
const silentMs = 3_000
/** With this many waiting records a request is sent at once. */
const enough = 100

/**
 * Sends the records of each partition in order, one batch at a time, and repeats a batch until its
 * outcome is known. Partitions do not wait for each other. A failed batch is repeated on a separate
 * connection, because a broker answers the requests of one connection in order.
 */
export class PartitionedSender {
  readonly #main: ProduceConnection
  readonly #aside: ProduceConnection
  readonly #unavailable: UnavailablePartitions
  readonly #directory: TopicDirectory
  readonly #schedule: SendSchedule
  readonly #meters: ProducerMeters | null
  readonly #gatherMs: number
  readonly #stop = new AbortController()
  #identity: ProducerIdentity = { producerId: '-1', producerEpoch: 0 }
  #renewing: Promise<ProducerIdentity> | null = null
  /** Time of the last acknowledgement by `performance.now()`. */
  #ackedAt = performance.now()
  /** Start of the last request, by sequence. */
  readonly #requestedAt = new Map<string, number>()
  /** Functions that end the waits for more records. */
  readonly #gatherings = new Set<() => void>()

  constructor(kafka: Kafka, { log, metrics, gatherMs = 0 }: SenderOptions) {
    this.#main = new ProduceConnection(kafka)
    this.#aside = new ProduceConnection(kafka)
    this.#unavailable = new UnavailablePartitions(log, metrics)
    this.#gatherMs = gatherMs
    this.#directory = new TopicDirectory({
      connection: this.#main,
      unavailable: this.#unavailable,
      ready: (queue) => this.#schedule.add(queue),
      refuse: (entries, err) => this.#refuse(entries, err),
      wait: (tries) => this.#wait(tries),
      stopping: this.#stop.signal,
    })
    this.#schedule = new SendSchedule({
      leaderOf: (queue) => this.#directory.leaderOf(queue),
      batchOf: (queue) => queue.batch(this.#identity),
      serve: (sequence) => this.#serve(sequence),
      leaderless: (queue) => this.#repeatLater(queue, this.#directory.whyLeaderless(queue)),
    })
    this.#meters =
      metrics === undefined ? null : producerMeters(metrics, () => this.#directory.queuedBytes)
  }

  /** Rejects when Kafka is unreachable. */
  async open(): Promise<void> {
    await this.#main.open()
    this.#identity = await this.#main.newIdentity()
  }

  /** False when no records are acknowledged and no other partition seems available. */
  get takesRecords(): boolean {
    if (!this.#unavailable.any || performance.now() - this.#ackedAt < silentMs) return true
    return this.#main.hasHealthyPartition((topic, partition) =>
      this.#unavailable.has(topic, partition),
    )
  }

  send(records: readonly OutgoingRecord[]): Promise<void> {
    this.#directory.refreshWhenOld()
    const { entries, done } = entriesOf(records)
    for (const entry of entries) this.#directory.add(entry)
    if (this.#schedule.waiting >= enough) this.#endGatherings()
    return done
  }

  /** Rejects all calls with unacknowledged records. */
  async close(reason: Error): Promise<void> {
    this.#stop.abort(reason)
    this.#endGatherings()
    for (const { call } of this.#directory.drain()) call.refused(reason)
    await Promise.all([this.#main.close(), this.#aside.close()])
  }

  async #serve(sequence: RequestSequence): Promise<void> {
    for (;;) {
      if (this.#gatherMs > 0) await this.#gather(sequence)
      const batches = this.#schedule.take(sequence)
      if (batches.length === 0) return
      await this.#request(sequence, batches)
    }
  }

  async #gather({ key }: RequestSequence): Promise<void> {
    const waitMs = (this.#requestedAt.get(key) ?? 0) + this.#gatherMs - performance.now()
    if (waitMs > 0 && this.#schedule.waiting < enough && !this.#stop.signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, waitMs)
      this.#gatherings.add(resolve)
      await promise
      this.#gatherings.delete(resolve)
      clearTimeout(timer)
    }
    this.#requestedAt.set(key, performance.now())
  }

  #endGatherings(): void {
    for (const end of this.#gatherings) end()
  }

  async #request(
    { node, isAside }: RequestSequence,
    batches: readonly ScheduledBatch[],
  ): Promise<void> {
    const connection = isAside ? this.#aside : this.#main
    const stopTimer = this.#meters?.seconds.startTimer()
    try {
      const asked = connection.produce(node, batches, isAside ? asideTimeoutMs : timeoutMs)
      const answers = await orAborted(asked, this.#stop.signal)
      for (const { queue } of batches) this.#settle(queue, answers)
    } catch (err) {
      for (const { queue } of batches) this.#repeatLater(queue, err)
    } finally {
      stopTimer?.()
    }
  }

  #settle(queue: PartitionQueue, answers: ReadonlyMap<string, ProduceAnswer>): void {
    if (this.#stop.signal.aborted) return
    const answer = answers.get(`${queue.topic}/${queue.partition}`)
    if (answer === undefined) return this.#repeatLater(queue, new Error('No acknowledgement'))
    const outcome = outcomeOf(answer.errorCode)
    switch (outcome.kind) {
      case 'acknowledged':
        this.#acknowledge(queue, answer)
        return this.#schedule.release(queue)
      case 'unsendable': {
        const entry = queue.refusedOrHalved()
        if (entry !== null) this.#refuse([entry], outcome.error)
        return this.#schedule.release(queue)
      }
      case 'renumber':
        return void this.#renumber(queue, outcome.error)
      case 'repeat':
        return this.#repeatLater(queue, outcome.error)
    }
  }

  #acknowledge(queue: PartitionQueue, answer: ProduceAnswer): void {
    this.#unavailable.served(queue)
    const entries = queue.acknowledged()
    announceProduced(queue.topic, () =>
      producedBatch(queue, entries, { ...answer, clusterId: this.#main.clusterId }),
    )
    for (const { call } of entries) call.acknowledged()
    this.#directory.acknowledged(queue)
    this.#ackedAt = performance.now()
    this.#meters?.records.inc(entries.length)
  }

  #refuse(entries: readonly Entry[], err: Error): void {
    this.#meters?.refused.inc(entries.length)
    for (const { topic, call } of entries) {
      call.refused(new UnsendableError(`${topic}: ${reasonOf(err)}`, { cause: err }))
    }
  }

  /**
   * Restarts the sequence numbers of the partition. Partitions whose brokers know theirs continue.
   */
  async #renumber(queue: PartitionQueue, err: Error): Promise<void> {
    try {
      if (this.#identity === queue.identity) {
        this.#renewing ??= this.#main.newIdentity()
        this.#identity = await this.#renewing
      }
    } catch (failure) {
      return this.#repeatLater(queue, failure)
    } finally {
      this.#renewing = null
    }
    queue.renumber(this.#identity)
    this.#meters?.replaced.inc()
    this.#repeatLater(queue, err)
  }

  #repeatLater(queue: PartitionQueue, err: unknown): void {
    if (this.#stop.signal.aborted) return
    this.#schedule.hold(queue)
    queue.failures += 1
    const failure = err instanceof Error ? err : new Error(String(err))
    this.#unavailable.failed(queue, { err: failure, tries: queue.failures })
    this.#directory.refresh()
    void this.#wait(queue.failures).then(() => {
      if (this.#directory.moveIfGone(queue)) this.#unavailable.recovered(queue)
      else this.#schedule.release(queue)
    })
  }

  async #wait(tries: number): Promise<void> {
    const ms = backoffMs(tries, backoff)
    await sleep(ms, undefined, { signal: this.#stop.signal }).catch(() => undefined)
  }
}
