import type { ChangeEvent, SubscriptionState } from '@surehook/contracts/events'
import { SubscriptionIndex } from '@surehook/matching/index/subscription-index'
import type { Change } from '@surehook/matching/read-change'
import { printRows, type Row } from '../report/report.ts'

/**
 * `bench/src/matcher/matching.ts`: measures the matcher's index in this process. Needs no running
 * system.
 */
const tables = 900
const perTable = 100
const onOneTable = 10_000
const roundMs = 400
const rounds = 5

type Shape = {
  name: string
  /**
   * The filter of the n-th subscription. Three subscriptions match `record`, however many there
   * are.
   */
  filterOf: (n: number) => object
  record: object
}

const shapes: Shape[] = [
  {
    name: 'an equality',
    filterOf: (n) => ({ customer: n < 3 ? 'mine' : `c${n}` }),
    record: { customer: 'mine', total: 1 },
  },
  {
    name: 'a list of five',
    filterOf: (n) => ({
      customer: {
        in: ['a', 'b', 'c', 'd'].map((i) => `${i}${n}`).concat(n < 3 ? 'mine' : `e${n}`),
      },
    }),
    record: { customer: 'mine', total: 1 },
  },
  {
    name: 'a lower bound',
    filterOf: (n) => ({ total: { gt: n } }),
    record: { total: '2.5' },
  },
  {
    name: 'a path, and more',
    filterOf: (n) => ({ 'customer.id': n < 3 ? 0 : n, total: { gt: 0 } }),
    record: { customer: { id: 0 }, total: 1 },
  },
  {
    name: 'one of twenty filters that must be asked',
    filterOf: (n) => ({ note: { contains: n < 3 ? 'mine' : `word ${n % 20}` } }),
    record: { note: 'this is mine' },
  },
]

for (const shape of shapes) {
  const few = measure(
    indexOf(10, { ...shape, filterOf: (n) => shape.filterOf(n === 0 ? 0 : n + 2) }),
    shape,
  )
  const many = measure(indexOf(onOneTable, shape), shape)
  printRows(`${shape.name}: of 10 and of ${onOneTable.toLocaleString('en')} subscriptions`, [
    { measure: 'of 10', value: `${few.us.toFixed(2)} µs, ${few.matched} match` },
    { measure: 'of 10,000', value: `${many.us.toFixed(2)} µs, ${many.matched} match` },
    { measure: 'ratio', value: (many.us / few.us).toFixed(2), target: '≤ 3' },
  ])
}
printRows('100,000 subscriptions, 10,000 of them on one table', memory())

function indexOf(count: number, { filterOf }: Pick<Shape, 'filterOf'>): SubscriptionIndex {
  const index = new SubscriptionIndex()
  for (let n = 0; n < count; n++) subscribe(index, n, { table: 'orders', filter: filterOf(n) })
  return index
}

function subscribe(
  index: SubscriptionIndex,
  n: number,
  { table, filter }: { table: string; filter: object | null },
): void {
  const id = `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`
  const state: SubscriptionState = {
    id,
    projectId: 'shop',
    environment: 'master',
    table,
    events: ['INSERT', 'UPDATE'],
    url: `https://receiver-${n}.example/hooks/${id}`,
    active: true,
    filter: filter === null ? null : JSON.stringify(filter),
    select: n % 4 === 0 ? ['id', 'status'] : null,
    secrets: [{ ciphertext: 'x'.repeat(80), validUntil: null }],
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
    policy: null,
    cancellations: [],
    name: null,
  }
  // Copied, because states from the topic share no objects with those made here.
  index.apply(id, JSON.parse(JSON.stringify(state)) as SubscriptionState)
}

function measure(index: SubscriptionIndex, { record }: Pick<Shape, 'record'>) {
  const event: ChangeEvent = {
    id: 'e',
    timestamp: '2026-01-01T00:00:00.000Z',
    projectId: 'shop',
    environment: 'master',
    table: 'orders',
    recordId: 'r',
    operation: 'INSERT',
    record: JSON.stringify(record),
    changedFields: [],
    source: 'bench',
    requestId: null,
    traceparent: null,
  }
  const change: Change = { event, record: JSON.parse(event.record), walPosition: null, loggedAt: 0 }
  const matched = index.match(change).length
  // The fastest of several rounds, because other load on the machine only makes a round slower.
  const us = Math.min(...Array.from({ length: rounds }, () => roundOf(index, change)))
  return { us, matched }
}

function roundOf(index: SubscriptionIndex, change: Change): number {
  const startedAt = performance.now()
  let count = 0
  for (; performance.now() - startedAt < roundMs; count += 100) {
    for (let n = 0; n < 100; n++) index.match(change)
  }
  return ((performance.now() - startedAt) * 1000) / count
}

function memory(): Row[] {
  const before = process.memoryUsage()
  const index = new SubscriptionIndex()
  const startedAt = performance.now()
  let n = 0
  const filterOf = (nth: number) => shapes[nth % (shapes.length + 1)]?.filterOf(nth) ?? null
  for (let table = 0; table < tables; table++) {
    for (let i = 0; i < perTable; i++, n++) {
      subscribe(index, n, { table: `table_${table}`, filter: filterOf(n) })
    }
  }
  for (let i = 0; i < onOneTable; i++, n++) {
    subscribe(index, n, { table: 'orders', filter: filterOf(n) })
  }
  const seconds = (performance.now() - startedAt) / 1000
  const after = process.memoryUsage()
  const mebibytes = (bytes: number) => `${(bytes / 1_048_576).toFixed(0)} MiB`
  return [
    { measure: 'subscriptions', value: index.size.toLocaleString('en') },
    { measure: 'loaded in', value: `${seconds.toFixed(1)} s` },
    { measure: 'heap, more than before', value: mebibytes(after.heapUsed - before.heapUsed) },
    { measure: 'resident, all of this process', value: mebibytes(after.rss), target: '< 512 MiB' },
  ]
}
