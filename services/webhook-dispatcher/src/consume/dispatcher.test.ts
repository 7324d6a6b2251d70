import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, expect, it } from '@jest/globals'
import type { DeliveryJob } from '@surehook/contracts/events'
import { aJob } from '@surehook/contracts/testing/samples'
import { deliveriesTopic, pausedTopic } from '@surehook/contracts/topics'
import { AssignedPartition } from '@surehook/kafka/windowed/assigned-partition'
import { UndecodableError } from '@surehook/schemas/codec'
import { createMetrics } from '@surehook/service-kit/telemetry/metrics'
import { pino } from 'pino'
import { dispatcherMetrics } from '../metrics.ts'
import type { WorkerDeps } from '../partition/worker-deps.ts'
import { PartitionSubscriptions } from '../subscriptions/partition-subscriptions.ts'
import { Dispatcher } from './dispatcher.ts'

type Decode = () => DeliveryJob | Promise<DeliveryJob>

const job = (deliveryId: string) => aJob({ deliveryId, subscriptionId: 'gone' })
const away: Decode = () => Promise.reject(new Error('ECONNREFUSED'))

let dispatcher: Dispatcher | undefined
afterEach(() => dispatcher?.[Symbol.dispose]())

/**
 * A partition whose jobs are all cancelled, because their subscription is deleted. `decode` lists
 * the results per message.
 */
function setUp(decode: Record<string, Decode[]>) {
  const cancelled: string[] = []
  const refused: string[] = []
  const finished: string[] = []
  const faults: unknown[] = []
  const metrics = dispatcherMetrics(createMetrics('test'))
  const worker = {
    window: { messages: 100, bytes: 100_000 },
    transitions: { make: async ({ deliveryId }: DeliveryJob) => void cancelled.push(deliveryId) },
    metrics,
    onFault: (err: unknown) => faults.push(err),
  } as unknown as WorkerDeps
  const all = {
    get: () => undefined,
    read: async () => undefined,
    entryOf: () => undefined,
    isAnyAt: () => false,
  }
  const view = { barrier: () => Promise.resolve() }
  const open = new Dispatcher({
    worker,
    subscriptions: (onLoaded) =>
      new PartitionSubscriptions({ all, view, onLoaded, onClose: () => {} }),
    metrics,
    ownLoad: { sample: () => {} },
    codec: {
      job: {
        encode: () => Buffer.alloc(0),
        decode: (value) => (decode[String(value)]?.shift() ?? (() => job(String(value))))(),
      },
    },
    refuse: async ({ value }, reason) => void refused.push(`${value}: ${reason}`),
    log: pino({ level: 'silent' }),
  })
  dispatcher = open
  const assignments = [deliveriesTopic, pausedTopic].map(
    (topic) => new AssignedPartition({ topic, partition: 0, committed: 0, metadata: null, end: 0 }),
  )
  const byTopic = new Map(assignments.map((assignment) => [assignment.topic, assignment]))
  open.assigned(0, byTopic, { seek: () => {}, mayStart: true, partitions: 1, commitSoon: () => {} })
  const read = (name: string, offset: number) => {
    const value = Buffer.from(name)
    const place = { topic: deliveriesTopic, partition: 0, offset }
    const headers = { traceparent: Buffer.from('some') }
    const message = { ...place, timestamp: '0', key: null, value, headers }
    const lease = new AbortController().signal
    const finish = () => void finished.push(name)
    const handed = { ...message, lease, reread: false, finish, detach: () => {} }
    open.handle(handed)
    return handed
  }
  return { open, read, cancelled, refused, finished, faults }
}

async function until(condition: () => boolean): Promise<void> {
  for (const end = Date.now() + 4_000; !condition(); await turn()) {
    if (Date.now() > end) throw new Error('not so within 4 s')
  }
}

it('waits while the registry is down, and later jobs wait with it', async () => {
  const { read, cancelled, refused, finished, faults } = setUp({
    older: [away, async () => job('older')],
  })
  read('older', 0)
  read('newer', 1)
  await until(() => finished.length === 2)
  expect({ cancelled, refused, faults }).toEqual({
    cancelled: ['older', 'newer'],
    refused: [],
    faults: [],
  })
})

it('keeps no slice of a fetch response', async () => {
  const { read, finished } = setUp({})
  const message = read('some', 0)
  await until(() => finished.length === 1)
  expect(message).toMatchObject({ key: null, value: null, headers: { traceparent: 'some' } })
})

it('refuses an undecodable job once', async () => {
  const never: Decode = () => Promise.reject(new UndecodableError('No schema has the id 9'))
  const { read, refused, finished } = setUp({ odd: [never, never] })
  read('odd', 0)
  read('next', 1)
  await until(() => finished.length === 2)
  expect(refused).toEqual(['odd: No schema has the id 9'])
})

it('survives a look-back at jobs that cannot be decoded now', async () => {
  const unhandled: unknown[] = []
  const listen = (err: unknown) => unhandled.push(err)
  process.on('unhandledRejection', listen)
  const { open, read, finished } = setUp({ older: [away] })
  open.finishedBefore({ partition: 0, value: Buffer.from('older') })
  read('next', 1)
  await until(() => finished.length === 1)
  await turn()
  process.off('unhandledRejection', listen)
  expect(unhandled).toEqual([])
})

it('knows the tenant of a job once its schema is known, and survives an unknown one', async () => {
  const unhandled: unknown[] = []
  const listen = (err: unknown) => unhandled.push(err)
  process.on('unhandledRejection', listen)
  const never: Decode = () => Promise.reject(new UndecodableError('No schema has the id 9'))
  const older = '\0\0\0\0\u0007older'
  const odd = '\0\0\0\0\u0009odd'
  const known: Decode = async () => job('older')
  const now: Decode = () => ({ ...job('older'), projectId: 'p' })
  const { open } = setUp({ [older]: [away, known, now, now], [odd]: [never, never, never] })
  const messages = [older, odd, 'rubbish'].map((text) => ({ value: Buffer.from(text) }))
  const lease = new AbortController().signal
  await open.whenTenantsKnown(messages, lease)
  expect(open.whenTenantsKnown(messages, lease)).toBeUndefined()
  const tenants = messages.slice(0, 2).map((message) => open.tenantOf(message))
  await turn()
  process.off('unhandledRejection', listen)
  expect({ tenants, unhandled }).toEqual({ tenants: ['p', ''], unhandled: [] })
})
