import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { type DeliveryJob, deliveriesTopic, pausedTopic } from '@surehook/contracts'
import { PartitionLane } from '@surehook/service-kit/kafka/partition-lane'
import { createMetrics } from '@surehook/service-kit/metrics'
import { dispatcherMetrics } from '../metrics.ts'
import type { DeskDeps } from './desk-deps.ts'
import { PartitionDesk } from './partition-desk.ts'

const ok = { kind: 'responded', status: 204, answer: '', latencyMs: 1 }

/** A desk whose Kafka takes or refuses moves as `refuse` says. */
class DeskWorld {
  readonly posted: string[] = []
  readonly told: string[] = []
  readonly faults: unknown[] = []
  readonly finished: string[] = []
  readonly parked: DeliveryJob[] = []
  active = true
  refuse: (move: string) => boolean = () => false
  readonly desk: PartitionDesk
  readonly lose: () => void
  #offset = 0

  constructor() {
    const lanes = [deliveriesTopic, pausedTopic].map(
      (topic) => new PartitionLane({ topic, partition: 0, committed: 0, metadata: null, end: 0 }),
    )
    this.desk = new PartitionDesk(new Map(lanes.map((lane) => [lane.topic, lane])), this.#deps())
    this.lose = () => {
      for (const lane of lanes) lane.revoke('lost')
    }
  }

  read(job: Partial<DeliveryJob> & { deliveryId: string }, topic = deliveriesTopic): void {
    const offset = this.#offset++
    const whole = {
      ...{ subscriptionId: 's', url: 'u', step: 0, attempt: 1, dueAt: 0, body: Buffer.alloc(1) },
      ...{ projectId: 'p', environment: 'e', arrival: offset },
      ...job,
    } as DeliveryJob
    const message = {
      ...{ topic, partition: 0, offset, key: null, value: null, reread: false },
      lease: new AbortController().signal,
      finish: () => void this.finished.push(`${topic} ${job.deliveryId}`),
      detach: () => {},
    }
    const delivery = { job: whole, message }
    if (topic === pausedTopic) this.desk.readParked(delivery)
    else this.desk.accept(delivery)
  }

  /** What was written to the paused topic comes back. */
  readBack(): void {
    for (const job of this.parked.splice(0)) this.read({ ...job, step: job.step + 1 }, pausedTopic)
    this.desk.afterReadParked()
  }

  #deps(): DeskDeps {
    const tell = async (name: string, job: DeliveryJob) => {
      if (this.refuse(name)) throw new Error(`refused: ${name}`)
      this.told.push(`${name} ${job.deliveryId}`)
    }
    return {
      circuit: {
        threshold: 5,
        cooldownMs: 1_000,
        store: {
          load: async () => ({ failures: 0, openUntil: 0 }),
          recordFailure: async () => {},
          reset: async () => {},
        },
      },
      limits: { maxInFlight: 4, maxLocalWaitMs: () => 1_000 },
      window: { messages: 100, bytes: 100_000 },
      attempts: {
        make: async (job: DeliveryJob) => {
          this.posted.push(job.deliveryId)
          return ok
        },
        nextStep: () => ({ kind: 'delivered' }),
      },
      moves: {
        afterAttempt: (job: DeliveryJob) => tell('delivered', job),
        cancel: (job: DeliveryJob) => tell('cancelled', job),
        reroute: (job: DeliveryJob) => tell('rerouted', job),
        park: async (job: DeliveryJob) => {
          await tell('parked', job)
          this.parked.push(job)
        },
      },
      subscriptions: {
        get: () => ({ url: 'u', endpointId: 'e', deliverable: this.active }),
      },
      subscriptionsCurrent: async () => {},
      reader: { seek: () => {}, pause: () => {}, resume: () => {} },
      mayStart: () => true,
      metrics: dispatcherMetrics(createMetrics('test')),
      onFault: (err: unknown) => void this.faults.push(err),
    } as unknown as DeskDeps
  }
}

let world: DeskWorld

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick'] })
  world = new DeskWorld()
})
afterEach(() => {
  world.desk.dispose()
  jest.useRealTimers()
})

const passes = (ms: number) => jest.advanceTimersByTimeAsync(ms)

describe('a move that Kafka refuses', () => {
  it('after an attempt is made again, and the attempt is not', async () => {
    let refusals = 3
    world.refuse = () => refusals-- > 0
    world.read({ deliveryId: 'a' })
    await passes(7_000)
    expect(world.posted).toEqual(['a'])
    expect(world.told).toEqual(['delivered a'])
    expect(world.finished).toEqual([`${deliveriesTopic} a`])
    expect(world.faults).toHaveLength(3)
  })

  it('to the paused topic leaves nothing there that nobody will ever read', async () => {
    world.active = false
    world.refuse = (move) => move === 'parked'
    world.read({ deliveryId: 'a' })
    await passes(100)
    expect(world.desk.parked).toBe(1)
    world.active = true
    await passes(2_000)
    expect(world.desk.parked).toBe(0)
    world.read({ deliveryId: 'b' })
    await passes(100)
    expect(world.posted).toEqual(['a', 'b'])
  })

  it('to the paused topic is over when the job is found there all the same', async () => {
    world.active = false
    // Of its two records Kafka took the job.
    const job = { deliveryId: 'a', step: 0, arrival: 0 } as DeliveryJob
    world.refuse = (move) => move === 'parked' && world.parked.push(job) > 0
    world.read(job)
    await passes(100)
    world.readBack()
    await passes(2_000)
    expect(world.finished).toEqual([`${deliveriesTopic} a`])
    expect(world.desk.parked).toBe(1)
  })

  it('to the paused topic is over when the job was found there and has gone out', async () => {
    world.active = false
    const job = { deliveryId: 'a', step: 0, arrival: 0 } as DeliveryJob
    world.refuse = (move) => move === 'parked' && world.parked.push(job) > 0
    world.read(job)
    await passes(100)
    world.active = true
    world.readBack()
    await passes(2_000)
    expect(world.posted).toEqual(['a'])
    expect(world.finished).toEqual([`${pausedTopic} a`, `${deliveriesTopic} a`])
  })

  it('of a job whose URL changed is decided anew', async () => {
    let refusals = 1
    world.refuse = (move) => move === 'rerouted' && refusals-- > 0
    world.read({ deliveryId: 'a', url: 'former' })
    await passes(3_000)
    expect(world.told).toEqual(['rerouted a'])
    expect(world.finished).toHaveLength(1)
  })

  it('is not made again when the partition is gone', async () => {
    world.refuse = () => true
    world.read({ deliveryId: 'a' })
    await passes(100)
    world.lose()
    world.refuse = () => false
    await passes(5_000)
    expect(world.told).toEqual([])
  })
})
