import { setTimeout as wait } from 'node:timers/promises'
import type { DeliveryJob } from '@surehook/contracts/events'
import { deliveriesTopic, pausedTopic } from '@surehook/contracts/topics'
import type { AssignedPartition } from '@surehook/kafka/windowed/assigned-partition'
import type { PartitionControl, PartitionHandler } from '@surehook/kafka/windowed/partition-handler'
import type { WindowedMessage } from '@surehook/kafka/windowed/windowed-consumer'
import { type EventCodec, UndecodableError } from '@surehook/schemas/codec'
import { reasonOf } from '@surehook/service-kit/errors'
import { LoopShare } from '@surehook/service-kit/slots/loop-share'
import type { Logger } from 'pino'
import { type Delivery, located } from '../delivery/delivery.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import type { DispatcherMetrics } from '../metrics.ts'
import { PartitionWorker } from '../partition/partition-worker.ts'
import { isRetryTopic, waitMsOf } from '../partition/progress/due-times.ts'
import type { WorkerDeps } from '../partition/worker-deps.ts'
import { JobSchemas } from './job-schemas.ts'
import type { OwnLoad } from './own-load.ts'
import { PeekedJobs, tryDecode } from './peeked-jobs.ts'

export type DispatcherDeps = {
  worker: Omit<WorkerDeps, 'subscriptions'>
  /** Opens the subscriptions of a partition. */
  subscriptions: (onLoaded: (id: string) => void) => WorkerDeps['subscriptions']
  codec: Pick<EventCodec, 'job'>
  /** Moves an undecodable message aside. Resolves after Kafka's ack. */
  refuse: (message: WindowedMessage, reason: string) => Promise<void>
  metrics: DispatcherMetrics
  ownLoad: Pick<OwnLoad, 'sample'>
  log: Logger
}

type PendingJob = { value: Buffer; decoding: Promise<DeliveryJob> }

const decodeAgainMs = 500
/** How often queues that wait too long for their endpoint are checked. */
const reliefEveryMs = 100

/** Passes each job to the worker of its partition. */
export class Dispatcher implements PartitionHandler, Disposable {
  readonly #deps: DispatcherDeps
  readonly #workers = new Map<number, PartitionWorker>()
  /** Per partition. A job with an older schema is decoded later, and the jobs behind it wait. */
  readonly #decoding = new Map<number, Promise<void>>()
  readonly #relief: NodeJS.Timeout
  #isRelieving = false
  readonly #schemas: JobSchemas
  #revokedBusy: PartitionWorker[] = []
  readonly #peeked: PeekedJobs

  constructor(deps: DispatcherDeps) {
    this.#deps = deps
    this.#schemas = new JobSchemas(deps)
    this.#peeked = new PeekedJobs(deps.codec)
    this.#relief = setInterval(() => void this.#relieve(), reliefEveryMs)
  }

  /** Attempts and transitions in flight, including those of revoked partitions. */
  get inFlight(): number {
    const workers = [...this.#workers.values(), ...this.#revokedBusy]
    return workers.reduce((sum, { busy }) => sum + busy, 0)
  }

  get paused(): number {
    return this.#workers.values().reduce((sum, { paused }) => sum + paused, 0)
  }

  /** Releasing a paused delivery requires a seek. */
  get seeksSoon(): boolean {
    return this.paused > 0
  }

  get openCircuits(): number {
    return this.#workers.values().reduce((sum, { openCircuits }) => sum + openCircuits, 0)
  }

  /** Returns the endpoints of the assigned partitions. */
  *endpoints(): Generator<Endpoint<Delivery>> {
    for (const worker of this.#workers.values()) yield* worker.endpoints
  }

  assigned(
    partition: number,
    assignments: ReadonlyMap<string, AssignedPartition>,
    control: PartitionControl,
  ): void {
    const subscriptions = this.#deps.subscriptions((id) => worker.subscriptionChanged(id))
    const deps = { ...this.#deps.worker, subscriptions }
    const worker = new PartitionWorker(assignments, control, deps)
    this.#workers.set(partition, worker)
  }

  revoked(partition: number): void {
    const worker = this.#workers.get(partition)
    if (worker === undefined) return
    this.#workers.delete(partition)
    this.#decoding.delete(partition)
    worker.dispose()
    this.#revokedBusy = [...this.#revokedBusy.filter(({ busy }) => busy > 0), worker]
  }

  partitionsAdded(): void {
    for (const worker of this.#workers.values()) worker.partitionsAdded()
  }

  /** Attempts and transitions in flight of one partition. */
  inFlightOf(partition: number): number {
    return this.#workers.get(partition)?.busy ?? 0
  }

  drain(partition: number, isDraining: boolean): void {
    this.#workers.get(partition)?.drain(isDraining)
  }

  /** Starts nothing new. Attempts in flight end. */
  stop(): void {
    for (const worker of this.#workers.values()) worker.drain(true)
  }

  /**
   * Resolves when `tenantOf` knows the tenants of these messages. Returns undefined if it already
   * does.
   */
  whenTenantsKnown(
    messages: readonly Pick<WindowedMessage, 'value'>[],
    lease: AbortSignal,
  ): Promise<void> | undefined {
    return this.#schemas.whenMet(messages, lease)
  }

  /**
   * Returns the project of a job, or '' if it can never be decoded. The result for a message must
   * never change.
   */
  tenantOf({ value }: Pick<WindowedMessage, 'value'>): string {
    return this.#peeked.peek(value)?.projectId ?? ''
  }

  /** A job that waits for its retry stays on its topic until it is nearly due. */
  waitMs(
    topic: string,
    { value, timestamp }: Pick<WindowedMessage, 'value' | 'timestamp'>,
  ): number {
    const job = isRetryTopic(topic) ? this.#peeked.peek(value) : null
    return job === null ? 0 : waitMsOf(job, { topic, timestamp })
  }

  handle(message: WindowedMessage): void {
    const worker = this.#workers.get(message.partition)
    if (worker === undefined) return
    if (message.reread && message.topic !== pausedTopic) return
    const waiting = this.#decoding.get(message.partition)
    const job = waiting?.then(() => this.#decode(message)) ?? this.#decode(message)
    if (job instanceof Promise) return this.#dispatchLater(job, message, worker)
    if (job !== null) dispatchTo(worker, message, job)
  }

  /** A batch of the assigned partition, fetched from `offset`, is about to be handed out. */
  beforeRead({ topic, partition }: AssignedPartition, offset: number): void {
    if (topic !== pausedTopic) return
    this.#inTurn(partition, (worker) => worker.pausedBatchBegins(offset))
  }

  /** The batch was handed out. The next one is read from `position`. */
  afterRead({ topic, partition }: AssignedPartition, position: number): void {
    this.#peeked.forget()
    if (topic === pausedTopic) {
      this.#inTurn(partition, (worker) => worker.pausedBatchEnded(position))
    } else if (topic === deliveriesTopic) {
      this.#inTurn(partition, (worker) => worker.deliveriesRead())
    }
  }

  /** After a rejoin, the assigned partition is read on from its position. */
  sought({ topic, partition }: AssignedPartition): void {
    if (topic === pausedTopic) this.#workers.get(partition)?.pausedSought()
  }

  /** Shows a job that was finished before the partition was assigned to this process. */
  finishedBefore({ partition, value }: { partition: number; value: Buffer | null }): void {
    const worker = this.#workers.get(partition)
    const job = value === null ? null : tryDecode(this.#deps.codec, value)
    // If it cannot be decoded now, a repeated job may go unnoticed until it can.
    if (job instanceof Promise) job.then((late) => worker?.remember(late)).catch(() => undefined)
    else if (job !== null) worker?.remember(job)
  }

  /** Call it after offsets were committed. */
  committed(): void {
    for (const worker of this.#workers.values()) worker.committed()
  }

  /** @param left the endpoint to which the subscription does not deliver any more */
  subscriptionChanged(subscriptionId: string, left: string | null): void {
    for (const worker of this.#workers.values()) worker.subscriptionChanged(subscriptionId, left)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#relief)
    for (const partition of [...this.#workers.keys()]) this.revoked(partition)
  }

  /** Runs after everything that is being decoded. */
  #inTurn(partition: number, then: (worker: PartitionWorker) => void): void {
    const worker = this.#workers.get(partition)
    if (worker === undefined) return
    const waiting = this.#decoding.get(partition)
    if (waiting === undefined) then(worker)
    else void waiting.then(() => then(worker))
  }

  #dispatchLater(
    decoding: Promise<DeliveryJob | null>,
    message: WindowedMessage,
    worker: PartitionWorker,
  ): void {
    const { partition } = message
    worker.countUndecoded(1)
    const chain = decoding
      .then((job) => {
        if (job !== null) dispatchTo(worker, message, job)
      })
      .catch((err: unknown) => this.#deps.worker.onFault(err))
      .finally(() => {
        worker.countUndecoded(-1)
        if (this.#decoding.get(partition) === chain) this.#decoding.delete(partition)
      })
    this.#decoding.set(partition, chain)
  }

  #decode(message: WindowedMessage): DeliveryJob | null | Promise<DeliveryJob | null> {
    const { value } = message
    if (value === null) return this.#refuse(message, 'a job must have a value')
    const peeked = this.#peeked.kept(value)
    if (peeked !== null) return located(peeked, message)
    try {
      const job = this.#deps.codec.job.decode(value)
      if (!(job instanceof Promise)) return located(job, message)
      return this.#decodeLater(message, { value, decoding: job })
    } catch (err) {
      return this.#refuse(message, reasonOf(err))
    }
  }

  /** The job has another version of the schema: while the registry is down, the partition waits. */
  async #decodeLater(
    message: WindowedMessage,
    { value, decoding }: PendingJob,
  ): Promise<DeliveryJob | null> {
    for (let first = true; ; first = false) {
      try {
        const job = await (first ? decoding : this.#deps.codec.job.decode(value))
        return located(job, message)
      } catch (err) {
        if (err instanceof UndecodableError) return this.#refuse(message, err.message)
        const { topic, partition, offset } = message
        this.#deps.log.warn({ err, topic, partition, offset }, 'message.decoding.retry')
      }
      await wait(decodeAgainMs)
      if (message.lease.aborted) return null
    }
  }

  #refuse(message: WindowedMessage, reason: string): null {
    this.#deps.metrics.invalid.inc()
    const { topic, partition, offset } = message
    this.#deps.log.warn({ topic, partition, offset, reason }, 'message.invalid')
    this.#deps
      .refuse(message, reason)
      .then(() => message.finish())
      .catch((err: unknown) => this.#deps.worker.onFault(err))
    return null
  }

  async #relieve(): Promise<void> {
    if (this.#isRelieving) return
    this.#isRelieving = true
    this.#deps.ownLoad.sample()
    const share = new LoopShare()
    for (const worker of this.#workers.values()) {
      worker.relieve()
      await share.yieldWhenLong()
    }
    this.#isRelieving = false
  }
}

function dispatchTo(worker: PartitionWorker, message: WindowedMessage, job: DeliveryJob): void {
  // The job has copies. The originals are slices of the fetch response and would keep all of it in
  // memory.
  message.key = null
  message.value = null
  if (message.headers !== undefined) message.headers = copyOf(message.headers)
  if (message.topic === pausedTopic) worker.readPaused({ job, message })
  else worker.accept({ job, message })
}

const copyOf = (headers: NonNullable<WindowedMessage['headers']>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
