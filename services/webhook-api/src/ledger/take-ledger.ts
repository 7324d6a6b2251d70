import {
  attemptsTopic,
  changesTopic,
  deadLetterTopic,
  subscriptionsTopic,
} from '@surehook/contracts/topics'
import type { Kafka, KafkaMessage } from '@surehook/kafka/client/surface'
import { openSpanReader, type SpanReader } from '@surehook/kafka/readers/span-reader'
import type { EventCodec } from '@surehook/schemas/codec'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import { KnownVersions } from './known-versions.ts'
import { type At, LedgerReading, type Scope } from './ledger-reading.ts'
import { jobTopicsOf, type LogMarks, readMarks, type Span, withAdmin } from './log-marks.ts'

export type TakeLedgerDeps = {
  kafka: Kafka
  codec: Pick<EventCodec, 'change' | 'job' | 'attempt' | 'subscription'>
  clientId: string
  maxDeliveries: number
  log: Logger
}

export type TakenLedger = { takenAt: number; reading: LedgerReading }

/**
 * Reads from the topics what happened to the changes of a span. Rejects with `TableFullError` if
 * they cause more deliveries than fit.
 */
export async function takeLedger(
  deps: TakeLedgerDeps,
  { span, scope }: { span: Span; scope: Scope },
  signal: AbortSignal,
): Promise<TakenLedger> {
  const { kafka, codec, clientId, maxDeliveries, log } = deps
  const { jobTopics, marks } = await withAdmin(kafka, async (admin) => {
    const topics = await jobTopicsOf(admin)
    return { jobTopics: topics, marks: await readMarks(admin, span, topics) }
  })
  const others = [changesTopic, subscriptionsTopic, attemptsTopic, deadLetterTopic]
  const topics = [...jobTopics, ...others]
  await using reader = openSpanReader({ kafka, topics, clientId, log })
  const versions = new KnownVersions(codec)
  const each =
    (take: (at: At, message: KafkaMessage) => Promise<void>) =>
    async (at: At, messages: readonly KafkaMessage[]) => {
      signal.throwIfAborted()
      for (const message of messages) await take(at, message)
    }
  await reader.read(
    marks.subscriptions,
    each((_, message) => versions.apply(message)),
    signal,
  )
  const reading = new LedgerReading({ codec, versions, marks, span, scope, maxDeliveries })
  await reader.read(
    marks.changes,
    each((at, message) => reading.addChange(at, message)),
    signal,
  )
  await reader.read(
    marks.deliveries,
    each((at, message) => reading.addJob(at, message)),
    signal,
  )
  await reader.read(
    marks.places,
    each((at, message) => reading.addPlace(at, message)),
    signal,
  )
  await explainOthers(reader, { marks, reading }, signal)
  return { takenAt: marks.takenAt, reading }
}

/**
 * Explains jobs whose change is missing. Their changes are most likely just outside the span. Each
 * further part is read only while unexplained jobs are left.
 */
async function explainOthers(
  reader: SpanReader,
  { marks, reading }: { marks: LogMarks; reading: LedgerReading },
  signal: AbortSignal,
): Promise<void> {
  for (const spans of [...marks.changesAround, marks.changes]) {
    if (reading.unexplained.isEmpty) return
    const isInSpan = spans === marks.changes
    const found = new AbortController()
    const ends = AbortSignal.any([signal, found.signal])
    const explain = async (_at: At, messages: readonly KafkaMessage[]) => {
      for (const message of messages) await reading.explain(message, isInSpan)
      if (reading.unexplained.isEmpty) found.abort()
    }
    await reader.read(spans, explain, ends).catch((err: unknown) => {
      if (!found.signal.aborted) throw err
    })
    signal.throwIfAborted()
  }
}
