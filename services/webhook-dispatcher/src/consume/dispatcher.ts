import { setTimeout as wait } from 'node:timers/promises'
import type { DeliveryJob } from '@surehook/contracts/events'
import { deliveriesTopic, pausedTopic } from '@surehook/contracts/topics'
import type { AssignedPartition } from '@surehook/kafka/windowed/assigned-partition'
import type { WindowedMessage } from '@surehook/kafka/windowed/windowed-consumer'
import { type EventCodec, UndecodableError } from '@surehook/schemas/codec'
import { reasonOf } from '@surehook/service-kit/errors'
import type { Logger } from 'pino'
import type { Endpoint } from '../endpoint/endpoint.ts'
import type { DispatcherMetrics } from '../metrics.ts'
import type { Delivery } from '../partition/delivery.ts'
import { PartitionWorker } from '../partition/partition-worker.ts'
import type { WorkerDeps } from '../partition/worker-deps.ts'
import { JobSchemas } from './job-schemas.ts'
import type { OwnLoad } from './own-load.ts'

export type DispatcherDeps = {
  worker: WorkerDeps
  codec: Pick<EventCodec, 'job'>
  /** Puts a message that cannot be decoded aside; resolves after Kafka's ack. */
  refuse: (message: WindowedMessage, reason: string) => Promise<void>
  metrics: DispatcherMetrics
  ownLoad: Pick<OwnLoad, 'sample'>
  log: Logger
}

/** The job, or null when the message is put aside or no longer ours. */
type Decoded = DeliveryJob | null
type Decoding = { value: Buffer; decoding: Promise<DeliveryJob> }

const decodeAgainMs = 500
/** How often queues are looked at that wait too long for their endpoint. */
const reliefEveryMs = 100

/** Hands each job to the worker of its partition. */
export class Dispatcher implements Disposable {
  readonly #deps: DispatcherDeps
  readonly #workers = new Map<number, PartitionWorker>()
  /** Per partition: a job with an older schema is decoded later, and those behind it wait. */
  readonly #decoding = new Map<number, Promise<void>>()
  readonly #relief: NodeJS.Timeout
  readonly #schemas: JobSchemas
  #revokedBusy: PartitionWorker[] = []
  /** The last job that was decoded to know whose it is. */
  #decoded: { value: Buffer; job: DeliveryJob } | null = null

  constructor(deps: DispatcherDeps) {
    this.#deps = deps
    this.#schemas = new JobSchemas(deps)
    this.#relief = setInterval(() => this.#relieve(), reliefEveryMs)
  }

  /** Attempts and moves in flight, those of lost partitions included. */
  get inFlight(): number {
    let sum = 0
    for (const worker of this.#workers.values()) sum += worker.busy
    for (const worker of this.#revokedBusy) sum += worker.busy
    return sum
  }

  get paused(): number {
    let sum = 0
    for (const worker of this.#workers.values()) sum += worker.paused
    return sum
  }

  get openCircuits(): number {
    let sum = 0
    for (const worker of this.#workers.values()) sum += worker.openCircuits
    return sum
  }

  /** Those of the partitions that are assigned. */
  *endpoints(): Generator<Endpoint<Delivery>> {
    for (const worker of this.#workers.values()) yield* worker.endpoints
  }

  assigned(partition: number, assignments: ReadonlyMap<string, AssignedPartition>): void {
    this.#workers.set(partition, new PartitionWorker(assignments, this.#deps.worker))
  }

  revoked(partition: number): void {
    const worker = this.#workers.get(partition)
    if (worker === undefined) return
    this.#workers.delete(partition)
    this.#decoding.delete(partition)
    worker.dispose()
    this.#revokedBusy = [...this.#revokedBusy.filter(({ busy }) => busy > 0), worker]
  }

  /** Of one partition. */
  inFlightOf(partition: number): number {
    return this.#workers.get(partition)?.busy ?? 0
  }

  drain(partition: number, isDraining: boolean): void {
    this.#workers.get(partition)?.drain(isDraining)
  }

  /** Nothing starts any more; what is in flight ends. */
  stop(): void {
    for (const worker of this.#workers.values()) worker.drain(true)
  }

  /** Resolves when `tenantOf` can tell whose these are; undefined when it can already. */
  whenTenantsKnown(
    messages: readonly Pick<WindowedMessage, 'value'>[],
    lease: AbortSignal,
  ): Promise<void> | undefined {
    return this.#schemas.whenMet(messages, lease)
  }

  /** Whose job it is; of what can never be decoded, nobody's. It must always say the same. */
  tenantOf({ value }: Pick<WindowedMessage, 'value'>): string {
    if (value === null) return ''
    const job = tryDecode(this.#deps.codec, value)
    if (job instanceof Promise) job.catch(() => undefined)
    if (job === null || job instanceof Promise) return ''
    // It is the next to be handled, if it is handled now.
    this.#decoded = { value, job }
    return job.projectId
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

  /** A batch of the assigned partition is about to be handed out, which was asked for from `offset`. */
  beforeRead({ topic, partition }: AssignedPartition, offset: number): void {
    if (topic !== pausedTopic) return
    this.#inTurn(partition, (worker) => worker.pausedBatchBegins(offset))
  }

  /** It was handed out; what comes next is read from `position`. */
  afterRead({ topic, partition }: AssignedPartition, position: number): void {
    if (topic === pausedTopic) {
      this.#inTurn(partition, (worker) => worker.pausedBatchEnded(position))
    } else if (topic === deliveriesTopic) {
      this.#inTurn(partition, (worker) => worker.deliveriesRead())
    }
  }

  /** The group was joined again, and the assigned partition is read on where it stands. */
  sought({ topic, partition }: AssignedPartition): void {
    if (topic === pausedTopic) this.#workers.get(partition)?.pausedSought()
  }

  /** Shows a job that was finished before the partition came here. */
  finishedBefore({ partition, value }: { partition: number; value: Buffer | null }): void {
    const worker = this.#workers.get(partition)
    const job = value === null ? null : tryDecode(this.#deps.codec, value)
    // What it cannot be decoded for now can only make a repetition go unnoticed.
    if (job instanceof Promise) job.then((late) => worker?.remember(late)).catch(() => undefined)
    else if (job !== null) worker?.remember(job)
  }

  /** Offsets were committed. */
  committed(): void {
    for (const worker of this.#workers.values()) worker.committed()
  }

  subscriptionChanged(subscriptionId: string): void {
    for (const worker of this.#workers.values()) worker.subscriptionChanged(subscriptionId)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#relief)
    for (const partition of [...this.#workers.keys()]) this.revoked(partition)
  }

  /** Behind what is being decoded. */
  #inTurn(partition: number, then: (worker: PartitionWorker) => void): void {
    const worker = this.#workers.get(partition)
    if (worker === undefined) return
    const waiting = this.#decoding.get(partition)
    if (waiting === undefined) then(worker)
    else void waiting.then(() => then(worker))
  }

  #dispatchLater(
    decoding: Promise<Decoded>,
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

  #decode(message: WindowedMessage): Decoded | Promise<Decoded> {
    const { value } = message
    if (value === null) return this.#refuse(message, 'a job must have a value')
    if (this.#decoded?.value === value) return located(this.#decoded.job, message)
    try {
      const job = this.#deps.codec.job.decode(value)
      if (!(job instanceof Promise)) return located(job, message)
      return this.#decodeLater(message, { value, decoding: job })
    } catch (err) {
      return this.#refuse(message, reasonOf(err))
    }
  }

  /** Written with another version of the schema: while the registry is away the partition waits. */
  async #decodeLater(message: WindowedMessage, { value, decoding }: Decoding): Promise<Decoded> {
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

  #relieve(): void {
    this.#deps.ownLoad.sample()
    for (const worker of this.#workers.values()) worker.relieve()
  }
}

function dispatchTo(worker: PartitionWorker, message: WindowedMessage, job: DeliveryJob): void {
  // The job has copies. These are pieces of the answer to a fetch, and would keep all of it.
  message.key = null
  message.value = null
  if (message.headers !== undefined) message.headers = copyOf(message.headers)
  if (message.topic === pausedTopic) worker.readPaused({ job, message })
  else worker.accept({ job, message })
}

function copyOf(headers: NonNullable<WindowedMessage['headers']>): Record<string, string> {
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)] as const)
  return Object.fromEntries(texts)
}

/** The job's place in the endpoint's order is the offset at which it first stood on the deliveries topic. */
function located(job: DeliveryJob, { offset }: WindowedMessage): DeliveryJob {
  return job.arrival === -1 ? { ...job, arrival: offset } : job
}

function tryDecode(codec: DispatcherDeps['codec'], value: Buffer) {
  try {
    return codec.job.decode(value)
  } catch {
    // It was refused when it was read first.
    return null
  }
}
