import type { ChangeEvent } from '@surehook/contracts/events'
import { changesTopic, subscriptionsTopic } from '@surehook/contracts/topics'
import type { Kafka } from '@surehook/kafka/client/surface'
import { LogEnds } from '@surehook/kafka/offsets/log-ends'
import { openSpanReader, type TopicSpan } from '@surehook/kafka/readers/span-reader'
import { openEventCodec } from '@surehook/schemas/codec'
import type { RegistrySecurity } from '@surehook/schemas/registry-client'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { Client } from 'pg'
import { clusterHistory } from './cluster-history.ts'
import { findLostRecords, writeBack } from './lost-records.ts'
import {
  type ComparedSubscriptions,
  readSubscriptions,
  writeSubscriptionsBack,
} from './lost-subscriptions.ts'
import { readableOf } from './readable-messages.ts'
import type { RefusedRow } from './refused-rows.ts'
import { readRelayedPositions, relayedTopics } from './relayed-positions.ts'
import { type RestoredSlot, restoredSlots, settleSlots } from './restored-slots.ts'

export type ReconcileOptions = {
  /** Connection of an administrator. No service may be connected. */
  db: Client
  kafka: Kafka
  registry: { registryUrl: string; registrySecurity?: RegistrySecurity }
  /** Epoch milliseconds of the backup, or earlier. */
  since: number
  apply: boolean
  /**
   * Drops slots that cannot be read. Otherwise nothing is written while one exists, because
   * archived WAL may still save it.
   */
  dropUnreadable: boolean
  log: Logger
  signal: AbortSignal
}

export type Reconciliation = {
  /** True if everything was written. */
  applied: boolean
  read: number
  /** Number of read messages that could not be decoded. */
  leftOut: number
  records: readonly ChangeEvent[]
  subscriptions: ComparedSubscriptions
  /** What PostgreSQL refused while the rest was written back. */
  refused: readonly RefusedRow[]
  withoutTable: ReadonlyMap<string, number>
  slots: readonly RestoredSlot[]
}

/**
 * Compares a restored database with the topics, which are newer, and optionally writes the
 * difference to it.
 */
export async function reconcile(options: ReconcileOptions): Promise<Reconciliation> {
  const { db, kafka, registry, since, apply, dropUnreadable, log, signal } = options
  const codec = await openEventCodec(registry)
  const history = await clusterHistory(db)
  const lost = findLostRecords(db, codec, history)
  const states = readSubscriptions(codec, history)
  const positions = readRelayedPositions(codec, history.systemId)
  const topics = [...relayedTopics]
  await using reader = openSpanReader({ kafka, topics, clientId: 'surehook-operator', log })
  let read = 0
  let leftOut = 0
  await reader.read(
    await spansSince(kafka, since, log),
    async ({ topic }, all) => {
      read += all.length
      const messages = await readableOf(codec, topic, all)
      leftOut += all.length - messages.length
      await positions.take(topic, messages)
      if (topic === changesTopic) await lost.take(messages)
      if (topic === subscriptionsTopic) await states.take(messages)
    },
    signal,
  )
  const subscriptions = await states.compare(db)
  const slots = await restoredSlots(db, positions)
  const records = [...lost.changes.values()]
  const isReadable = slots.every(({ state }) => state !== 'unreadable')
  const applied = apply && (isReadable || dropUnreadable)
  const refused = applied ? await writeAll(db, { records, subscriptions }) : []
  if (applied) await settleSlots(db, slots)
  const { withoutTable } = lost
  return { applied, read, leftOut, records, subscriptions, refused, withoutTable, slots }
}

type ToWrite = Pick<Reconciliation, 'records' | 'subscriptions'>

/** Writes everything in one transaction, except for rows that PostgreSQL refuses. */
async function writeAll(db: Client, { records, subscriptions }: ToWrite): Promise<RefusedRow[]> {
  await db.query('begin')
  try {
    const refused = [
      ...(await writeBack(db, records)),
      ...(await writeSubscriptionsBack(db, subscriptions)),
    ]
    await db.query('commit')
    return refused
  } catch (err) {
    await db.query('rollback')
    throw err
  }
}

/** Spans to read: `changes` from `since`, and state topics from their beginning. */
async function spansSince(kafka: Kafka, since: number, log: Logger): Promise<TopicSpan[]> {
  await using ends = new LogEnds(kafka, relayedTopics, log)
  const bounds = await ends.readBounds()
  const starts = await ends.readAt(since)
  return bounds.map(({ topic, partition, start, end }) => {
    const at = starts.find((of) => of.topic === topic && of.partition === partition)?.offset
    return { topic, partition, from: topic === changesTopic ? (at ?? start) : start, to: end }
  })
}
