import { setImmediate as turn } from 'node:timers/promises'
import type { CancellableStatus, Cancellation, DeliveryJob } from '@surehook/contracts/events'
import { aJob } from '@surehook/contracts/testing/samples'
import { deliveriesTopic, pausedTopic } from '@surehook/contracts/topics'
import { AssignedPartition } from '@surehook/kafka/windowed/assigned-partition'
import { createMetrics } from '@surehook/service-kit/telemetry/metrics'
import type { Delivery } from '../../src/delivery/delivery.ts'
import { AttemptSlots } from '../../src/endpoint/attempt-slots.ts'
import type { SubscriptionLimits } from '../../src/endpoint/subscription-queue.ts'
import { dispatcherMetrics } from '../../src/metrics.ts'
import type { PartitionWorker } from '../../src/partition/partition-worker.ts'
import type { WorkerDeps } from '../../src/partition/worker-deps.ts'
import type { PartitionSubscriptions } from '../../src/subscriptions/partition-subscriptions.ts'
import type { Transition, TransitionResult } from '../../src/transitions/transitions.ts'
import { PartitionHistory } from './partition-history.ts'
import { circuitOptions, Owner, shared } from './partition-owner.ts'
import { openSubscriptions } from './partition-subscriptions.ts'
import { openOn, placeAfter, retries } from './places-after.ts'
import { RecordHistory } from './record-history.ts'

type Entry = { job: DeliveryJob; headers: Record<string, string>; at: number }

export type PartitionWorldOptions = { orderedRecords?: number; loadsLate?: boolean }

export const topics = [deliveriesTopic, retries, pausedTopic]

/** A partition with its logs, its commits and its owner, without Kafka, receivers and real time. */
export class PartitionWorld {
  readonly logs = new Map<string, Entry[]>(topics.map((topic) => [topic, []]))
  readonly history = new PartitionHistory()
  readonly records = new RecordHistory()
  /** Subscriptions whose deliveries of a record leave one after another. */
  readonly ordered = new Set<string>()
  /** How long a delivery waits for its retry, in ms. */
  retryMs = 0
  readonly circuit = circuitOptions()
  readonly deleted = new Set<string>()
  /** By subscription: since when it is inactive. */
  readonly inactive = new Map<string, number>()
  limits: SubscriptionLimits | undefined
  /** Of subscriptions: deliveries that were cancelled by request. */
  readonly cancellations = new Map<string, Cancellation[]>()
  /** Subscriptions whose jobs no other topic takes. */
  readonly tooLarge = new Set<string>()
  /** By subscription, the arrivals of first attempts in the order they started. */
  readonly started = new Map<string, number[]>()
  readonly repeatedByOneOwner: string[] = []
  /** Deliveries that left for another partition, in order. */
  readonly rerouted: string[] = []
  #partitions = 1
  readonly #commits = new Map<string, { offset: number; metadata: string }>()
  #owner: Owner
  enqueued = 0
  /** A clock that moves on with each record and each request. */
  #now = 0

  readonly #orderedRecords: number | undefined
  readonly #loadsLate: boolean
  #subscriptions: PartitionSubscriptions | undefined

  /**
   * @param orderedRecords how many records have a queue of their own
   * @param loadsLate true if an owner reads a subscription when it first needs it
   */
  constructor({ orderedRecords, loadsLate = false }: PartitionWorldOptions = {}) {
    this.#orderedRecords = orderedRecords
    this.#loadsLate = loadsLate
    this.#owner = this.#open()
  }

  get worker(): PartitionWorker {
    return this.#owner.worker
  }

  enqueue(subscriptionId: string, recordId: string | null = null): void {
    const deliveryId = `d${this.enqueued++}`
    const made = aJob({
      ...{ deliveryId, subscriptionId, recordId, url: 'u', createdAt: this.#now },
      projectId: subscriptionId.slice(0, 1),
    })
    this.history.enqueued(made)
    this.records.enqueued(made)
    this.#append(deliveriesTopic, made)
  }

  /** Fetches a topic once. */
  fetch(topic: string, count: number): void {
    const { assignments, positions, stopped, steering, worker } = this.#owner
    const assignment = assignments.get(topic) as AssignedPartition
    const log = this.logs.get(topic) as Entry[]
    const begin = positions.get(topic) as number
    const entries = log.slice(begin, begin + count)
    if (entries.length === 0 || stopped.has(topic)) return
    assignment.backlog?.begin()
    if (topic === pausedTopic) worker.pausedBatchBegins(begin)
    const next = this.#offerAll(assignment, entries, begin)
    const position = begin + entries.length
    positions.set(topic, position)
    assignment.end = Math.max(assignment.end, log.length)
    steering.wasRead(assignment, { next, position })
    if (topic === pausedTopic) worker.pausedBatchEnded(position)
    if (topic === deliveriesTopic) worker.deliveriesRead()
  }

  /** Answers an attempt in flight: the first or the last one that began. */
  answer(status: number, first: boolean): void {
    const { attempts } = this.#owner
    const attempt = first ? attempts.shift() : attempts.pop()
    attempt?.answer(status)
  }

  acknowledge(): void {
    for (const ack of this.#owner.acks.splice(0)) ack()
  }

  commit(): void {
    for (const assignment of this.#owner.assignments.values()) {
      assignment.dirty = false
      assignment.uncommitted = 0
      this.#commits.set(assignment.topic, assignment.position())
    }
    this.#owner.worker.committed()
  }

  setActive(subscriptionId: string, isActive: boolean): void {
    if (isActive) this.inactive.delete(subscriptionId)
    else this.inactive.set(subscriptionId, this.#now++)
    this.#owner.worker.subscriptionChanged(subscriptionId)
  }

  delete(subscriptionId: string): void {
    this.deleted.add(subscriptionId)
    this.#subscriptions?.changed(subscriptionId, undefined)
    this.#owner.worker.subscriptionChanged(subscriptionId, subscriptionId)
  }

  /** What has the status now is cancelled. */
  cancel(subscriptionId: string, status: CancellableStatus): void {
    const known = this.cancellations.get(subscriptionId) ?? []
    const [until, askedAt] = [this.#now, this.#now++]
    this.cancellations.set(subscriptionId, [...known, { status, until, askedAt }])
    this.history.askedToCancel(subscriptionId, status, this.inactive.has(subscriptionId))
    this.#owner.worker.subscriptionChanged(subscriptionId)
  }

  /** The topics get more partitions. This one is 0. */
  grow(partitions: number): void {
    this.#partitions = partitions
    this.#owner.control.partitions = partitions
    this.#owner.worker.partitionsAdded()
  }

  /** The owner dies, and another one goes on from what was committed. */
  kill(): void {
    const { assignments, worker } = this.#owner
    for (const assignment of assignments.values()) assignment.revoke('killed')
    worker.dispose()
    this.#owner = this.#open()
  }

  /** Returns the topics where a delivery is still open according to the commits. */
  placesOf(deliveryId: string): string[] {
    const [logs, commits] = [this.logs, this.#commits]
    return topics.flatMap((topic) => openOn(topic, deliveryId, { logs, commits }))
  }

  /** Lets everything in progress end. */
  async settle(): Promise<void> {
    for (let nth = 0; nth < 4; nth++) {
      this.acknowledge()
      await turn()
    }
  }

  #append(topic: string, job: DeliveryJob, headers: Record<string, string> = {}): void {
    this.logs.get(topic)?.push({ job, headers, at: this.#now++ })
  }

  /** @returns the offset after which the rest was not offered */
  #offerAll(assignment: AssignedPartition, entries: readonly Entry[], begin: number): number {
    let offset = begin
    for (const entry of entries) {
      this.#offer(assignment, entry, offset++)
      if (assignment.backlog?.hasEnough) break
    }
    return offset
  }

  #offer(assignment: AssignedPartition, { job, headers, at }: Entry, offset: number): void {
    const { topic, lease } = assignment
    const { worker, steering } = this.#owner
    if (offset < assignment.committed) return worker.remember(job)
    const taken = assignment.take(offset, job.body.length, () => job.projectId)
    if (taken === 'finished' || taken === 'waits') return
    const reread = taken === 'open'
    if (reread && topic !== pausedTopic) return
    const released = () => steering.steer(assignment)
    const message = {
      ...{ topic, partition: 0, offset, headers, lease, reread, key: null, value: null },
      timestamp: String(at),
      finish: () => {
        assignment.finish(offset)
        released()
      },
      detach: () => {
        assignment.detach(offset)
        released()
      },
    }
    const located = job.arrival === -1 ? { ...job, arrival: offset } : job
    if (topic === pausedTopic) worker.readPaused({ job: located, message })
    else worker.accept({ job: located, message })
  }

  #open(): Owner {
    const assignments = topics.map((topic) => {
      const { offset, metadata } = this.#commits.get(topic) ?? { offset: 0, metadata: '' }
      const end = this.logs.get(topic)?.length ?? 0
      const at = { topic, partition: 0, committed: offset, metadata, end }
      return new AssignedPartition(topic === pausedTopic ? at : { ...at, shared })
    })
    const owner = new Owner(
      new Map(assignments.map((assignment) => [assignment.topic, assignment])),
      (it) => this.#deps(it),
      this.#partitions,
    )
    for (const topic of [deliveriesTopic, retries]) {
      const { committed } = owner.assignments.get(topic) as AssignedPartition
      // The lookback. Finished jobs above the commit are not shown, as with the real consumer.
      for (const { job } of (this.logs.get(topic) ?? []).slice(0, committed))
        owner.worker.remember(job)
    }
    return owner
  }

  #deps(owner: Owner): WorkerDeps {
    const onLoaded = (id: string) => owner.worker.subscriptionChanged(id)
    this.#subscriptions = openSubscriptions(this, { loadsLate: this.#loadsLate, onLoaded })
    return {
      circuit: this.circuit,
      limits: { maxInFlight: 2, maxLocalWaitMs: () => 1 },
      slots: new AttemptSlots(),
      orderedRecords: this.#orderedRecords,
      window: { messages: 4, bytes: 1_000_000 },
      attempts: {
        make: ({ job }: Delivery) => this.#attempt(owner, job),
        nextStep: (job: DeliveryJob, { status }: { status: number }) =>
          status < 300
            ? { kind: 'delivered' }
            : { kind: 'retry', delay: { name: '1s', ms: 0 }, dueAt: this.#dueAt(job) },
      },
      transitions: { make: (job: DeliveryJob, to: Transition) => this.#make(owner, job, to) },
      subscriptions: this.#subscriptions,
      metrics: dispatcherMetrics(createMetrics('test')),
      onFault: (err: unknown) => {
        throw err
      },
    } as unknown as WorkerDeps
  }

  #attempt(owner: Owner, job: DeliveryJob): Promise<unknown> {
    const name = `${job.deliveryId}/${job.attempt}`
    if (owner.attempted.includes(name)) this.repeatedByOneOwner.push(name)
    owner.attempted.push(name)
    this.history.attempted(job)
    this.records.attempted(job)
    const { subscriptionId, arrival } = job
    const started = this.started.get(subscriptionId) ?? []
    this.started.set(subscriptionId, started)
    // An attempt repeated after a kill has already started before.
    if (job.attempt === 1 && !started.includes(arrival)) started.push(arrival)
    return new Promise((resolve) => {
      const answer = (status: number) => {
        if (status < 300) this.records.over(job)
        resolve({ kind: 'responded', status, answer: '', latencyMs: 1 })
      }
      owner.attempts.push({ job, answer })
    })
  }

  #make(owner: Owner, job: DeliveryJob, to: Transition): Promise<TransitionResult> {
    const place = placeAfter(job, to, this.#dueAt(job))
    if (to.kind === 'reroute') this.rerouted.push(job.deliveryId)
    const isRefused = place !== undefined && this.tooLarge.has(job.subscriptionId)
    // A dead letter needs no further delivery.
    if (isRefused) this.history.delivered.add(job.deliveryId)
    else this.history.made(job, to)
    if (this.history.hasEnded(job.deliveryId)) this.records.over(job)
    if (!isRefused && place !== undefined) this.#append(place.topic, place.job, place.headers)
    const made = isRefused ? 'refused' : 'made'
    return new Promise((resolve) => void owner.acks.push(() => resolve(made)))
  }

  #dueAt = ({ dueAt }: DeliveryJob) => (this.retryMs === 0 ? dueAt : Date.now() + this.retryMs)
}
