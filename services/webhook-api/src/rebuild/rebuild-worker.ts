import { randomUUID } from 'node:crypto'
import type { Kafka, KafkaMessage } from '@surehook/kafka/client/surface'
import { LogEnds } from '@surehook/kafka/offsets/log-ends'
import { openSpanReader, type TopicSpan } from '@surehook/kafka/readers/span-reader'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { Pool } from 'pg'
import { type DeliveryProjection, projectedTopics } from '../history/write/delivery-projection.ts'
import { bytesOf } from '../history/write/write-buffer.ts'
import { chunksOf, writeByHalves } from '../history/write/write-chunks.ts'
import { type BackgroundWork, runBackgroundWork } from '../jobs/background-work.ts'
import * as store from './rebuild-store.ts'

export type RebuildWorkerDeps = {
  pool: Pool
  kafka: Kafka
  clientId: string
  /** Its refused messages are dropped, because they were already refused when first read. */
  projection: DeliveryProjection
  log: Logger
}

const lookEveryMs = 2_000
/** Longer than a batch takes. After this time another replica takes over from a killed one. */
const turnMs = 30_000

/** Another replica took over the rebuild and continues from the recorded progress. */
class TurnLostError extends Error {}

/**
 * Empties the history and fills it from the topics, up to their ends at that time. The log's normal
 * reader writes later messages meanwhile: rows accept any order and repetition.
 */
export function runRebuildWorker(deps: RebuildWorkerDeps): BackgroundWork {
  const worker = new RebuildWorker(deps)
  return runBackgroundWork({
    work: (signal) => worker.workOnNext(signal),
    onFailure: (err) => deps.log.warn({ err }, 'history.rebuild_failed'),
    retryMs: lookEveryMs,
  })
}

class RebuildWorker {
  readonly #deps: RebuildWorkerDeps
  /** Identifies this replica. */
  readonly #by = randomUUID()

  constructor(deps: RebuildWorkerDeps) {
    this.#deps = deps
  }

  /** @returns the milliseconds until the next call */
  async workOnNext(signal: AbortSignal): Promise<number> {
    const { pool, log } = this.#deps
    const rebuild = await store.takeRebuild(pool, { by: this.#by, forMs: turnMs })
    if (rebuild === undefined) return lookEveryMs
    const turn = { id: rebuild.id, by: this.#by }
    try {
      await this.#workOn(rebuild, turn, signal)
    } catch (err) {
      if (err instanceof TurnLostError) return 0
      const late = (cause: unknown) => log.debug({ err: cause }, 'history.rebuild_not_postponed')
      await store.postponeRebuild(pool, turn, signal.aborted ? 0 : lookEveryMs).catch(late)
      throw err
    }
    return 0
  }

  async #workOn(rebuild: store.RebuildRow, turn: store.Turn, signal: AbortSignal): Promise<void> {
    const { pool, log } = this.#deps
    const { id, state } = rebuild
    if (state === 'asked') {
      hold(await store.emptyHistory(pool, turn))
      log.info({ id }, 'history.emptied')
    }
    // Read only now, so that everything written before the history was emptied is below these ends.
    if (state !== 'reading') hold(await store.beginReading(pool, turn, await this.#spans()))
    const spans = state === 'reading' ? rebuild.spans : (await store.newestRebuild(pool))?.spans
    await this.#read(turn, spans ?? [], signal)
    hold(await store.endRebuild(pool, turn))
    log.info({ id }, 'history.rebuilt')
  }

  async #spans(): Promise<TopicSpan[]> {
    const { kafka, log } = this.#deps
    await using ends = new LogEnds(kafka, projectedTopics, log)
    const bounds = await ends.readBounds()
    return bounds
      .map(({ topic, partition, start, end }) => ({ topic, partition, from: start, to: end }))
      .filter(({ from, to }) => from < to)
  }

  async #read(turn: store.Turn, spans: readonly TopicSpan[], signal: AbortSignal): Promise<void> {
    const { kafka, clientId, projection, pool, log } = this.#deps
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
        ...turn,
        spans: [...left.values()].filter(({ from, to }) => from < to),
        records: messages.length,
        oldestAt: new Date(Math.min(...messages.map(({ timestamp }) => Number(timestamp)))),
        forMs: turnMs,
      }
      hold(await store.advanceRebuild(pool, progress))
    }
    await reader.read(spans, write, signal)
  }
}

function hold(isOurs: boolean): void {
  if (!isOurs) throw new TurnLostError()
}
