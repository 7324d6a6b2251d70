import { setTimeout as sleep } from 'node:timers/promises'
import type { AssignedPartition } from '@surehook/kafka/windowed/assigned-partition'
import type { PartitionControl, PartitionHandler } from '@surehook/kafka/windowed/partition-handler'
import type { WindowedMessage } from '@surehook/kafka/windowed/windowed-consumer'
import { backoffMs } from '@surehook/service-kit/backoff'
import { boundedBy, orAborted } from '@surehook/service-kit/bounded'
import { type BudgetShare, MemoryBudget } from '@surehook/service-kit/config/memory-budget'
import type { Logger } from 'pino'
import type { GrowthGate } from '../growth/growth-gate.ts'
import { GrowthReport } from '../growth/growth-report.ts'
import { JobRouting } from '../growth/job-routing.ts'
import { BatchProgress } from './batch-progress.ts'
import type { ChangeBatch } from './change-batch.ts'
import { projectOf, WaitingChanges } from './waiting-changes.ts'

export type BatchesOptions = {
  /**
   * If it rejects, it is called again after growing pauses, while the partition is assigned here.
   */
  handle: (batch: ChangeBatch) => Promise<void>
  gate: Pick<GrowthGate, 'newPartition' | 'rerouted' | 'unused'>
  log: Logger
}

type Batch = { projects: ReadonlySet<string>; messages: readonly WindowedMessage[] }

type PartitionState = {
  waiting: WaitingChanges
  routing: JobRouting
  report: GrowthReport
  running: Set<Batch>
  /** What its stalled batches hold. */
  stalled: BudgetShare
  isNew: boolean
  isDraining: boolean
}

const maxBatch = 500
/** Other projects do not wait for a project with at least this many changes. */
const longFrom = 50
const maxAtOnce = 2
/**
 * The limit over all partitions for stalled batches: their changes, and the chunk of deliveries
 * that each of them sends.
 */
const maxStalledBytes = 64 * 1024 * 1024
const backoff = { firstMs: 100, longestMs: 5_000 }
const endWithinMs = 3_000

/**
 * Handles the changes of each partition in batches: those of one project in order and one batch at
 * a time. Beside a long batch, other projects get a batch of their own. If only some projects of a
 * batch wait for Kafka, the batch is divided by project, so that the others do not wait.
 */
export class Batches implements PartitionHandler {
  readonly #options: BatchesOptions
  readonly #partitions = new Map<number, PartitionState>()
  readonly #stopping = new AbortController()
  readonly #running = new Set<Promise<void>>()
  /** Batches of which Kafka currently takes nothing, and the bytes that they hold. */
  readonly #stalled = new Map<Batch, number>()
  readonly #stalledBytes = new MemoryBudget(maxStalledBytes)
  #stopped = false

  constructor(options: BatchesOptions) {
    this.#options = options
  }

  /** The number of running batches. */
  get inFlight(): number {
    return this.#running.size
  }

  /** The number of running batches of one partition. */
  inFlightOf(partition: number): number {
    return this.#partitions.get(partition)?.running.size ?? 0
  }

  readonly tenantOf = projectOf

  handle(message: WindowedMessage): void {
    const { partition } = message
    const state = this.#partitions.get(partition)
    if (state === undefined) return
    state.waiting.add(message)
    // Deferred, because the rest of the same fetch arrives in this turn of the event loop.
    if (!state.isNew) queueMicrotask(() => this.#start(state))
    state.isNew = true
  }

  assigned(
    partition: number,
    assignments: ReadonlyMap<string, AssignedPartition>,
    control: PartitionControl,
  ): void {
    const { gate, log } = this.#options
    for (const assignment of assignments.values()) {
      const routing = new JobRouting({
        ...{ assignment, gate, control },
        onReady: () => this.#start(state),
        onFault: (err) => log.warn({ err, partition }, 'growth.wait.failed'),
      })
      const report = new GrowthReport({ assignment, gate, control, log })
      const state = newState({ routing, report, stalled: this.#stalledBytes.open() })
      this.#partitions.set(partition, state)
      void report.watch()
      this.#start(state)
    }
  }

  partitionsAdded(): void {
    for (const state of this.#partitions.values()) {
      this.#start(state)
      void state.report.watch()
    }
  }

  /** While true, no batch of the partition begins. */
  drain(partition: number, isDraining: boolean): void {
    const state = this.#partitions.get(partition)
    if (state === undefined) return
    state.isDraining = isDraining
    this.#start(state)
  }

  revoked(partition: number): void {
    this.#partitions.get(partition)?.stalled.close()
    this.#partitions.delete(partition)
  }

  /**
   * Begins nothing new. Resolves when the running batches have ended, or after the grace period.
   */
  async stop(): Promise<void> {
    this.#stopped = true
    const ended = boundedBy(endWithinMs, Promise.all(this.#running), 'A batch takes long')
    await ended.catch((err) => this.#options.log.warn({ err }, 'batch.unfinished'))
    this.#stopping.abort(new DOMException('The matcher stops', 'AbortError'))
  }

  #start(state: PartitionState): void {
    state.isNew = false
    if (this.#stopped || state.isDraining || !this.#mayBegin(state)) return
    if (!state.routing.mayBegin(state.running.size)) return
    const busy = new Set([...state.running].flatMap(({ projects }) => [...projects]))
    const batch = state.waiting.take(maxBatch, busy)
    if (batch.messages.length === 0) return
    this.#begin(state, batch)
    this.#start(state)
  }

  #mayBegin({ running, stalled }: PartitionState): boolean {
    const moving = [...running].filter((batch) => !this.#stalled.has(batch))
    const areLong = moving.every(({ messages }) => messages.length >= longFrom)
    return areLong && moving.length < maxAtOnce && !stalled.mustPause
  }

  #begin(state: PartitionState, batch: Batch): void {
    state.running.add(batch)
    const run = this.#run(state, batch).finally(() => {
      this.#running.delete(run)
      state.running.delete(batch)
      const held = this.#stalled.get(batch)
      this.#stalled.delete(batch)
      state.stalled.release(held ?? 0)
      // Batches of other partitions may have waited for this room too.
      for (const each of held === undefined ? [state] : this.#partitions.values()) this.#start(each)
    })
    this.#running.add(run)
  }

  /** The window no longer counts its changes, so that those of other projects are read. */
  #stall(state: PartitionState, batch: Batch, sending: number): void {
    // The stall timer may fire after the batch was divided and has ended.
    if (!state.running.has(batch)) return
    let held = sending
    for (const { value, detach } of batch.messages) {
      held += value?.length ?? 0
      detach()
    }
    this.#stalled.set(batch, held)
    state.stalled.add(held)
    this.#start(state)
  }

  async #run(state: PartitionState, batch: Batch): Promise<void> {
    const { projects, messages } = batch
    const [first] = messages
    if (first === undefined || first.lease.aborted) return
    const { topic, partition, offset, lease } = first
    const dividing = new AbortController()
    const signal = AbortSignal.any([lease, this.#stopping.signal, dividing.signal])
    const { partitions: jobPartitions } = state.routing
    const of = { topic, partition, jobPartitions, signal }
    const changes = { ...of, messages: messages.map(asKafkaMessage) }
    for (let tries = 1; ; tries++) {
      try {
        using progress = new BatchProgress(() => {
          this.#stall(state, batch, progress.bytes)
          if (projects.size > 1 && progress.isPartial) dividing.abort(divided)
        })
        await orAborted(this.#options.handle({ ...changes, progress }), dividing.signal)
        for (const message of messages) message.finish()
        return
      } catch (err) {
        if (err === divided) return this.#divide(state, batch)
        if (signal.aborted) return
        this.#options.log.warn({ err, topic, partition, offset, tries }, 'batch.failed')
        const waitMs = backoffMs(tries, backoff)
        await sleep(waitMs, undefined, { signal }).catch(() => undefined)
      }
    }
  }

  /** Deliveries that were already sent are sent again. A dispatcher drops a repeated step. */
  #divide(state: PartitionState, { messages }: Batch): void {
    for (const [project, own] of Map.groupBy(messages, projectOf)) {
      this.#begin(state, { projects: new Set([project]), messages: own })
    }
  }
}

/** Some projects of the batch wait for Kafka, and others do not. */
const divided = new DOMException('Its projects go on one by one', 'AbortError')

const newState = (
  parts: Pick<PartitionState, 'routing' | 'report' | 'stalled'>,
): PartitionState => ({
  ...parts,
  waiting: new WaitingChanges(),
  running: new Set(),
  isNew: false,
  isDraining: false,
})

const asKafkaMessage = ({ key, value, offset, headers, timestamp }: WindowedMessage) => ({
  key,
  value,
  timestamp,
  offset: String(offset),
  ...(headers && { headers }),
})
