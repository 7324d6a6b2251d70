import type { KafkaMessage, MessageHeaders } from '../../client/surface.ts'
import type { ProducedBatch } from '../../loopback/produced-batch.ts'
import type { Entry } from './entry.ts'
import type { ProduceAnswer } from './produce-connection.ts'

/**
 * Returns the records of an acknowledged batch as a fetch would return them. Null if their offsets
 * or timestamps are unknown: with a repeated batch, or on a topic that keeps the producer's time.
 */
export function producedBatch(
  { topic, partition }: { topic: string; partition: number },
  entries: readonly Entry[],
  {
    errorCode,
    baseOffset,
    logAppendTime,
    clusterId,
  }: ProduceAnswer & { clusterId?: string | undefined },
): ProducedBatch | null {
  const first = Number(baseOffset ?? -1)
  const timestamp = logAppendTime ?? '-1'
  const isKnown = errorCode === 0 && first >= 0 && Number(timestamp) >= 0
  if (!isKnown || clusterId === undefined || entries.length === 0) return null
  const messages = entries.map(
    ({ message: { key, value, headers } }, index): KafkaMessage => ({
      key: bytesOf(key),
      value: bytesOf(value),
      timestamp,
      offset: String(first + index),
      attributes: 0,
      headers: headersOf(headers),
    }),
  )
  const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0)
  return { clusterId, topic, partition, messages, bytes }
}

type Bytes = string | Buffer | null | undefined

const bytesOf = (text: Bytes): Buffer | null =>
  text === null || text === undefined ? null : typeof text === 'string' ? Buffer.from(text) : text

const headersOf = (headers: MessageHeaders = {}): MessageHeaders =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === 'string' ? Buffer.from(value) : value,
    ]),
  )
