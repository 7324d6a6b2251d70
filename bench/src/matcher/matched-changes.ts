import { randomUUID } from 'node:crypto'
import type { ChangeEvent, SubscriptionState } from '@surehook/contracts/events'
import { newEventId } from '@surehook/contracts/ids'
import { SubscriptionIndex } from '@surehook/matching/index/subscription-index'
import { planDeliveries } from '@surehook/matching/plan-deliveries'
import { readChange } from '@surehook/matching/read-change'
import { type EventCodec, openEventCodec } from '@surehook/schemas/codec'
import type { RunningSystem } from '@surehook/scripts/lib/running-system'
import { newRecord } from '../platform/platform.ts'
import { perSecond, printRows } from '../report/report.ts'

const subscriptions = 100_000
const tables = 100
const perChange = 3
const batch = 500
const rounds = 5
const roundMs = 1_000
const customers = subscriptions / tables / perChange

/**
 * Measures the matcher's work without Kafka, in this process on one thread: decoding Avro, parsing
 * the record, finding its subscriptions, making bodies and ids, and encoding the jobs.
 */
export async function matchedChanges(system: RunningSystem): Promise<void> {
  const codec = await openEventCodec({ registryUrl: system.schemaRegistryUrl })
  const index = new SubscriptionIndex()
  for (let n = 0; n < subscriptions; n++) index.apply(idOf(n), subscriptionOf(n))
  const messages = Array.from({ length: batch }, (_, n) => messageOf(codec, n))
  let jobs = 0
  const round = async () => {
    let changes = 0
    const startedAt = performance.now()
    for (; performance.now() - startedAt < roundMs; changes += batch) {
      for (const message of messages) jobs += await matched(codec, index, message)
    }
    return { changes, ms: performance.now() - startedAt }
  }
  await round()
  jobs = 0
  const measured = []
  const cpu = process.cpuUsage()
  for (let n = 0; n < rounds; n++) measured.push(await round())
  const used = process.cpuUsage(cpu)
  const usedMs = (used.user + used.system) / 1_000
  const best = measured.toSorted((a, b) => b.changes / b.ms - a.changes / a.ms)[0]
  const changes = measured.reduce((sum, one) => sum + one.changes, 0)
  printRows(
    `${subscriptions.toLocaleString('en')} subscriptions, ${(jobs / changes).toFixed(1)} matches each`,
    [
      {
        measure: 'changes from Avro to Avro, the best second of five, one thread',
        value: perSecond(best?.changes ?? 0, best?.ms ?? 1),
        target: '15,000/s',
      },
      { measure: 'changes per CPU-second of this process', value: perSecond(changes, usedMs) },
    ],
  )
}

async function matched(
  codec: EventCodec,
  index: SubscriptionIndex,
  message: ReturnType<typeof messageOf>,
): Promise<number> {
  const read = await readChange(codec.change, message)
  if (!('change' in read)) throw new Error(read.reason)
  const plan = planDeliveries(read.change.event, index.match(read.change), {
    maxBodyBytes: 1_048_576,
    now: read.change.loggedAt,
  })
  let jobs = 0
  for (const { job } of plan) if (codec.job.encode(job).length > 0) jobs++
  return jobs
}

const tableOf = (n: number) => `table_${n % tables}`
const customerOf = (n: number) => `customer ${Math.floor(n / tables) % Math.ceil(customers)}`
const idOf = (n: number) => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`

function subscriptionOf(n: number): SubscriptionState {
  return {
    id: idOf(n),
    projectId: 'shop',
    environment: 'master',
    table: tableOf(n),
    events: ['INSERT'],
    url: `https://receiver-${n}.example/hook`,
    active: true,
    filter: JSON.stringify({ customer: customerOf(n) }),
    select: null,
    secrets: [{ ciphertext: 'x'.repeat(80), validUntil: null }],
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
    policy: null,
    cancellations: [],
    name: null,
  }
}

function messageOf(codec: EventCodec, n: number) {
  const recordId = randomUUID()
  const event: ChangeEvent = {
    id: newEventId(),
    timestamp: new Date().toISOString(),
    projectId: 'shop',
    environment: 'master',
    table: tableOf(n),
    recordId,
    operation: 'INSERT',
    record: JSON.stringify({ id: recordId, customer: customerOf(n), ...newRecord() }),
    changedFields: [],
    source: 'bench',
    requestId: null,
    traceparent: null,
  }
  return {
    key: null,
    value: codec.change.encode(event),
    offset: String(n),
    timestamp: String(Date.now()),
    headers: {},
  }
}
