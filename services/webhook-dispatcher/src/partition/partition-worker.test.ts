import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import type { DeliveryJob } from '@surehook/contracts/events'
import { aJob } from '@surehook/contracts/testing/samples'
import { deliveriesTopic, pausedTopic } from '@surehook/contracts/topics'
import { AssignedPartition } from '@surehook/kafka/windowed/assigned-partition'
import { createMetrics } from '@surehook/service-kit/telemetry/metrics'
import type { Delivery } from '../delivery/delivery.ts'
import { pausedHeaders } from '../delivery/paused-headers.ts'
import { AttemptSlots } from '../endpoint/attempt-slots.ts'
import { dispatcherMetrics } from '../metrics.ts'
import type { Transition } from '../transitions/transitions.ts'
import { PartitionWorker } from './partition-worker.ts'
import type { WorkerDeps } from './worker-deps.ts'

const ok = { kind: 'responded', status: 204, answer: '', latencyMs: 1 }

/** A worker whose Kafka refuses the transitions for which `refuse` returns true. */
class WorkerWorld {
  readonly posted: string[] = []
  readonly published: string[] = []
  readonly faults: unknown[] = []
  readonly finished: string[] = []
  /** The content of the paused topic. */
  readonly paused: DeliveryJob[] = []
  readonly headers: Record<string, string>[] = []
  active = true
  mayStart = true
  /** How often a subscription was looked up. */
  asked = 0
  readonly partitions = 1
  readonly commitSoon = () => {}
  refuse: (move: string) => boolean = () => false
  readonly worker: PartitionWorker
  readonly lose: () => void
  #offset = 0
  /** The read position on the paused topic. */
  #position = 0
  readonly #pausedAssignment: AssignedPartition

  constructor() {
    const assignmentOf = (topic: string) =>
      new AssignedPartition({ topic, partition: 0, committed: 0, metadata: null, end: 0 })
    this.#pausedAssignment = assignmentOf(pausedTopic)
    const assignments = [assignmentOf(deliveriesTopic), this.#pausedAssignment]
    const byTopic = new Map(assignments.map((assignment) => [assignment.topic, assignment]))
    this.worker = new PartitionWorker(byTopic, this, this.#deps())
    this.lose = () => {
      for (const assignment of assignments) assignment.revoke('lost')
    }
  }

  /** Reads a job from the deliveries topic. */
  read(job: Partial<DeliveryJob> & { deliveryId: string }): void {
    const offset = this.#offset++
    const read = aJob({ subscriptionId: 's', url: 'u', arrival: offset, ...job })
    this.worker.accept(this.#delivery(read, { topic: deliveriesTopic, offset, reread: false }))
  }

  seek(_topic: string, _partition: number, offset: number): void {
    this.#position = offset
  }

  /** Reads the paused topic again. */
  readBack(): void {
    this.worker.pausedBatchBegins(this.#position)
    while (this.#position < this.paused.length) {
      const offset = this.#position++
      const reread = this.#pausedAssignment.take(offset, 1) === 'open'
      const job = this.paused[offset]
      if (job === undefined) throw new Error('read beyond the end')
      const headers = this.headers[offset] ?? {}
      const at = { topic: pausedTopic, offset, reread, headers }
      this.worker.readPaused(this.#delivery(job, at))
    }
    this.worker.pausedBatchEnded(this.#position)
  }

  #delivery(job: DeliveryJob, at: Pick<Delivery['message'], 'topic' | 'offset' | 'reread'>) {
    const message = {
      ...{ ...at, partition: 0, timestamp: '0', key: null, value: null },
      lease: new AbortController().signal,
      finish: () => void this.finished.push(`${at.topic} ${job.deliveryId}`),
      detach: () => {},
    }
    return { job, message }
  }

  #deps(): WorkerDeps {
    return {
      circuit: { threshold: 5, cooldownMs: 1_000, store: noStore },
      limits: { maxInFlight: 4, maxLocalWaitMs: () => 1_000 },
      slots: new AttemptSlots(),
      window: { messages: 100, bytes: 100_000 },
      attempts: {
        make: async ({ job }: Delivery) => {
          this.posted.push(job.deliveryId)
          return ok
        },
        nextStep: () => ({ kind: 'delivered' }),
      },
      transitions: {
        make: async (job: DeliveryJob, transition: Transition) => {
          const name = nameOf(job, transition)
          if (this.refuse(name)) throw new Error(`refused: ${name}`)
          this.published.push(`${name} ${job.deliveryId}`)
          if (transition.kind !== 'pause') return 'made'
          this.headers.push(pausedHeaders({ run: 0, ...transition }))
          this.paused.push({ ...job, step: job.step + 1 })
          return 'made'
        },
      },
      subscriptions: {
        entryOf: () => undefined,
        [Symbol.dispose]: () => {},
        get: (id: string) => {
          this.asked++
          const deliverable = this.active && !id.startsWith('inactive')
          return {
            ...{ id, url: 'u', projectId: 'p' },
            endpointId: `e of ${id}`,
            deliverable,
            cancellations: [],
          }
        },
      },
      metrics: dispatcherMetrics(createMetrics('test')),
      onFault: (err: unknown) => void this.faults.push(err),
    } as unknown as WorkerDeps
  }
}

const noStore = {
  load: async () => ({ failures: 0, openUntil: 0 }),
  recordFailure: async () => {},
  reset: async () => {},
}

/** Only a published transition has a status; a delivery that waits for a slot has none. */
function nameOf({ step }: DeliveryJob, transition: Transition): string {
  switch (transition.kind) {
    case 'pause':
      return transition.published ? 'paused' : 'waits'
    case 'publish':
      return `paused at ${step}`
    case 'attempted':
      return 'delivered'
    default:
      return transition.kind
  }
}

let world: WorkerWorld

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick'] })
  world = new WorkerWorld()
})
afterEach(() => {
  world.worker.dispose()
  jest.useRealTimers()
})

const passes = (ms: number) => jest.advanceTimersByTimeAsync(ms)

describe('a move that Kafka refuses', () => {
  it('after an attempt is repeated without repeating the attempt', async () => {
    let refusals = 3
    world.refuse = () => refusals-- > 0
    world.read({ deliveryId: 'a' })
    await passes(7_000)
    expect(world.posted).toEqual(['a'])
    expect(world.published).toEqual(['delivered a'])
    expect(world.finished).toEqual([`${deliveriesTopic} a`])
    expect(world.faults).toHaveLength(3)
  })

  it('to the paused topic leaves no delivery unread', async () => {
    world.active = false
    world.refuse = (move) => move === 'paused'
    world.read({ deliveryId: 'a' })
    await passes(100)
    expect(world.worker.pausedEntries).toBe(1)
    world.active = true
    await passes(2_000)
    expect(world.worker.pausedEntries).toBe(0)
    world.read({ deliveryId: 'b' })
    await passes(100)
    expect(world.posted).toEqual(['a', 'b'])
  })

  it('to the paused topic is done if the job is found there anyway', async () => {
    world.active = false
    // Kafka takes the job, but fails for the second record.
    const job = aJob({ deliveryId: 'a', subscriptionId: 's', url: 'u', arrival: 0 })
    world.refuse = (move) => move === 'paused' && world.paused.push({ ...job, step: 1 }) > 0
    world.read(job)
    await passes(100)
    world.readBack()
    await passes(2_000)
    expect(world.finished).toEqual([`${deliveriesTopic} a`])
    expect(world.worker.paused).toBe(1)
  })

  it('to the paused topic is done if the job was found there and released', async () => {
    world.active = false
    const job = aJob({ deliveryId: 'a', subscriptionId: 's', url: 'u', arrival: 0 })
    world.refuse = (move) => move === 'paused' && world.paused.push({ ...job, step: 1 }) > 0
    world.read(job)
    await passes(100)
    world.active = true
    world.readBack()
    await passes(2_000)
    expect(world.posted).toEqual(['a'])
    expect(world.finished).toEqual([`${pausedTopic} a`, `${deliveriesTopic} a`])
  })

  it('of a job whose URL changed is decided again', async () => {
    let refusals = 1
    world.refuse = (move) => move === 'reroute' && refusals-- > 0
    world.read({ deliveryId: 'a', url: 'former' })
    await passes(3_000)
    expect(world.published).toEqual(['reroute a'])
    expect(world.finished).toHaveLength(1)
  })

  it('is not repeated when the partition was revoked', async () => {
    world.refuse = () => true
    world.read({ deliveryId: 'a' })
    await passes(100)
    world.lose()
    world.refuse = () => false
    await passes(5_000)
    expect(world.published).toEqual([])
  })
})

describe('paused jobs', () => {
  it('of 10,000 inactive subscriptions add no cost to other attempts', async () => {
    for (let n = 0; n < 10_000; n++) {
      world.read({ deliveryId: `idle-${n}`, subscriptionId: `inactive-${n}` })
    }
    await passes(10)
    world.readBack()
    expect(world.worker.paused).toBe(10_000)
    world.asked = 0
    for (let n = 0; n < 10; n++) world.read({ deliveryId: `a-${n}` })
    await passes(10)
    expect(world.posted).toHaveLength(10)
    expect(world.asked).toBeLessThan(100)
  })

  it('are published as paused if they wait for a slot and their subscription is deactivated', async () => {
    world.active = false
    world.read({ deliveryId: 'a' })
    await passes(10)
    world.active = true
    // Comes behind a paused one.
    world.read({ deliveryId: 'b', step: 3 })
    await passes(10)
    expect(world.published).toEqual(['paused a', 'waits b'])
    world.active = false
    world.readBack()
    await passes(10)
    expect(world.published.slice(2)).toEqual(['paused at 4 b'])
  })

  it('are published as paused even if they were read before that', async () => {
    world.active = false
    world.read({ deliveryId: 'a' })
    await passes(10)
    world.active = true
    for (const deliveryId of ['b', 'c']) world.read({ deliveryId })
    await passes(10)
    // They are read while a drain keeps them from being released.
    world.worker.drain(true)
    world.readBack()
    world.active = false
    world.worker.drain(false)
    world.readBack()
    await passes(10)
    expect(world.published.slice(3)).toEqual(['paused at 1 b', 'paused at 1 c'])
    world.active = true
    world.worker.subscriptionChanged('s')
    world.readBack()
    await passes(10)
    expect(world.posted).toEqual(['a', 'b', 'c'])
  })
})

it('starts blocked jobs of several endpoints in turns', async () => {
  world.mayStart = false
  for (const subscriptionId of ['a', 'b', 'c']) {
    for (let n = 1; n <= 3; n++) world.read({ deliveryId: `${subscriptionId}${n}`, subscriptionId })
  }
  await passes(10)
  expect(world.posted).toEqual([])
  world.mayStart = true
  world.worker.relieve()
  expect(world.posted).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'c2', 'a3', 'b3', 'c3'])
})
