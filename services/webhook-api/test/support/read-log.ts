import type { KafkaMessage } from '@surehook/kafka/client/surface'
import type { LogReader } from '@surehook/kafka/readers/log-reader'

/** Reads everything on the reader's topic, partition by partition. */
export async function* readLog(reader: LogReader): AsyncGenerator<KafkaMessage> {
  for (const { partition, start, end } of await reader.bounds()) {
    for (let from = start; from < end; ) {
      const { messages, next } = await reader.read({ partition, from, to: end })
      yield* messages
      from = next
    }
  }
}
