import type { Kafka, KafkaMessage } from '@surehook/kafka/client/surface'
import { LogEnds } from '@surehook/kafka/offsets/log-ends'
import { openSpanReader, type TopicSpan } from '@surehook/kafka/readers/span-reader'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { Pool } from 'pg'
import { type DeliveryProjection, projectedTopics } from '../history/write/delivery-projection.ts'
import { bytesOf } from '../history/write/write-buffer.ts'
import { chunksOf, writeByHalves } from '../history/write/write-chunks.ts'
import type { BackgroundWork } from '../jobs/background-work.ts'
import { type Claim, runClaimedWork } from '../jobs/claimed-work.ts'
import * as store from './rebuild-store.ts'

export type RebuildWorkerDeps = {
  historyPool: Pool
  kafka: Kafka
  clientId: string
  /** Its refused messages are dropped, because they were already refused when first read. */
  projection: DeliveryProjection
  log: Logger
}

/** Longer than a batch takes. */
const claimMs = 30_000

/**
 * Empties the history and fills it from the topics, up to their ends at that time. The log's normal
 * reader writes later messages meanwhile: rows accept any order and repetition.
 */
export function runRebuildWorker(deps: RebuildWorkerDeps): BackgroundWork {
  const { historyPool, log } = deps
  const worker = new RebuildWorker(deps)
  return runClaimedWork({
    // The history covers all projects.
    waiting: async () =>
      (await store.waitingRebuild(historyPool)).map(({ id }) => ({ id, projectId: '' })),
    claim: (claim) => store.takeRebuild(historyPool, claim, claimMs),
    work: (rebuild, claim, signal) => worker.workOn(rebuild, claim, signal),
    postpone: (claim, afterMs) => store.postponeRebuild(historyPool, claim, afterMs),
    events: { failed: 'history.rebuild_failed', notPostponed: 'history.rebuild_not_postponed' },
    log,
  })
}

class RebuildWorker {
  readonly #deps: RebuildWorkerDeps

  constructor(deps: RebuildWorkerDeps) {
    this.#deps = deps
  }

  async workOn(rebuild: store.RebuildRow, claim: Claim, signal: AbortSignal): Promise<number> {
    const { historyPool, log } = this.#deps
    const { id, state } = rebuild
    if (state === 'asked') {
      await store.emptyHistory(historyPool, claim)
      log.info({ id }, 'history.emptied')
    }
    // Read only now, so that everything written before the history was emptied is below these ends.
    if (state !== 'reading') await store.beginReading(historyPool, claim, await this.#spans())
    const spans =
      state === 'reading' ? rebuild.spans : (await store.newestRebuild(historyPool))?.spans
    await this.#read(claim, spans ?? [], signal)
    await store.endRebuild(historyPool, claim)
    log.info({ id }, 'history.rebuilt')
    return 0
  }

  async #spans(): Promise<TopicSpan[]> {
    const { kafka, log } = this.#deps
    await using ends = new LogEnds(kafka, projectedTopics, log)
    const bounds = await ends.readBounds()
    return bounds
      .map(({ topic, partition, start, end }) => ({ topic, partition, from: start, to: end }))
      .filter(({ from, to }) => from < to)
  }

  async #read(claim: Claim, spans: readonly TopicSpan[], signal: AbortSignal): Promise<void> {
    const { kafka, clientId, projection, historyPool, log } = this.#deps
    const left = new Map(spans.map((span) => [`${span.topic}/${span.partition}`, { ...span }]))
    const topics = [...projectedTopics]
    await using reader = openSpanReader({ kafka, topics, clientId: `${clientId}.rebuild`, log })
    const write = async (
      { topic, partition }: { topic: string; partition: number },
      messages: readonly KafkaMessage[],
    ) => {
      const span = left.get(`${topic}/${partition}`)
      const last = messages.at(-1)
      if (span === undefined || last === undefined) return
      const items = await projection.read({ topic, partition, messages })
      for (const chunk of chunksOf(
        items.map((item) => [item]),
        bytesOf,
      )) {
        await writeByHalves(chunk, (half) => projection.write(half))
      }
      span.from = Number(last.offset) + 1
      const progress = {
        spans: [...left.values()].filter(({ from, to }) => from < to),
        records: messages.length,
        oldestAt: new Date(Math.min(...messages.map(({ timestamp }) => Number(timestamp)))),
        forMs: claimMs,
      }
      await store.advanceRebuild(historyPool, claim, progress)
    }
    await reader.read(spans, write, signal)
  }
}
