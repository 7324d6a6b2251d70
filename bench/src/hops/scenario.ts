import { changesTopic, deliveriesTopic } from '@surehook/contracts/topics'
import { insertAtRate } from '../load/load.ts'
import type { BenchProject } from '../platform/platform.ts'
import type { AwaitedReport, BenchReceiver } from '../receiver/receiver.ts'
import { lossRows, milliseconds, printRows } from '../report/report.ts'
import { endsOf, openKafka, readBetween } from './log-times.ts'

export type HopsOptions = {
  project: BenchProject
  receiver: BenchReceiver
  perSecond: number
  seconds: number
  warmUpSeconds: number
  drainMs: number
}

/** The times of one change, in order, in epoch milliseconds. */
type Moments = { sent: number; row: number; changes: number; deliveries: number; receipt: number }

const hops = [
  ['request to row', 'sent', 'row'],
  ['row to changes (commit, WAL, relay)', 'row', 'changes'],
  ['changes to deliveries (matcher)', 'changes', 'deliveries'],
  ['deliveries to receipt (dispatcher)', 'deliveries', 'receipt'],
] as const

/**
 * Measures the steps between a REST write and its receipt, using the broker's times of its records.
 */
export async function whereTimeGoes(options: HopsOptions): Promise<void> {
  const { project, receiver, perSecond, seconds, warmUpSeconds, drainMs } = options
  const kafka = openKafka(project.system.kafkaBrokers)
  const admin = kafka.admin()
  await admin.connect()
  const warmed = await insertAtRate(project, 'bench', { perSecond, seconds: warmUpSeconds })
  await receiver.waitFor(warmed.answered, drainMs)
  await receiver.reset()
  const topics = [changesTopic, deliveriesTopic]
  const from = await endsOf(admin, topics)
  const load = await insertAtRate(project, 'bench', { perSecond, seconds })
  const report = await receiver.waitFor(load.answered, drainMs)
  const to = await endsOf(admin, topics)
  const moments = new Map<number, Partial<Moments>>()
  for (const [sent, receipt] of await receiver.receipts()) moments.set(sent, { sent, receipt })
  await readBetween(kafka, { from, to }, (topic, { at, value }) => {
    const mine = moments.get(Number(sentAt.exec(value)?.[1]))
    if (mine === undefined) return
    if (topic === deliveriesTopic) {
      mine.deliveries = at
      return
    }
    mine.changes = at
    mine.row = Date.parse(createdAt.exec(value)?.[1] ?? '')
  })
  await admin.disconnect()
  print([...moments.values()].filter(isWhole), { perSecond, report })
}

const sentAt = /"sent_at":(\d+(?:\.\d+)?)/
const createdAt = /"createdAt":"([^"]+)"/

const isWhole = (moments: Partial<Moments>): moments is Moments =>
  hops.every(([, from, to]) => Number.isFinite(moments[from]) && Number.isFinite(moments[to]))

const whole = ({ sent, receipt }: Moments) => receipt - sent

function print(
  all: readonly Moments[],
  { perSecond, report }: { perSecond: number; report: AwaitedReport },
): void {
  const slowest = all.toSorted((a, b) => whole(b) - whole(a)).slice(0, Math.ceil(all.length / 100))
  printRows(`where the time goes at ${perSecond} changes/s, ${all.length} of them: p50, p99`, [
    ...hops.map(([measure, from, to]) => ({
      measure,
      value: percentiles(all.map((moments) => moments[to] - moments[from])),
    })),
    { measure: 'all of it', value: percentiles(all.map(whole)) },
    ...lossRows(report),
  ])
  printRows(`the slowest ${slowest.length}: mean of each hop, and in how many it took longest`, [
    ...hops.map(([measure, from, to]) => {
      const of = (moments: Moments) => moments[to] - moments[from]
      const longest = slowest.filter((moments) =>
        hops.every(([, a, b]) => moments[b] - moments[a] <= of(moments)),
      )
      const sum = slowest.reduce((total, moments) => total + of(moments), 0)
      return { measure, value: `${milliseconds(sum / slowest.length)}, ${longest.length}` }
    }),
  ])
}

function percentiles(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0
  return `${milliseconds(at(0.5))}, ${milliseconds(at(0.99))}`
}
