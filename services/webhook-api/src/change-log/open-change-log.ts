import { changesTopic } from '@surehook/contracts/topics'
import type { Kafka } from '@surehook/kafka/client/surface'
import { type LogReader, openLogReader } from '@surehook/kafka/readers/log-reader'
import type { EventCodec } from '@surehook/schemas/codec'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import { ChangeLog } from './change-log.ts'

export type ChangeLogOptions = {
  kafka: Kafka
  codec: Pick<EventCodec, 'change'>
  clientId: string
  log: Logger
}

export type OpenChangeLog = AsyncDisposable & { changeLog: ChangeLog; reader: LogReader }

/** Opens the log of changes for searches, with a reader for requests only. */
export function openChangeLog({ kafka, codec, clientId, log }: ChangeLogOptions): OpenChangeLog {
  const reader = openLogReader({ kafka, topic: changesTopic, clientId, log })
  return {
    changeLog: new ChangeLog({ reader, codec, now: Date.now }),
    reader,
    [Symbol.asyncDispose]: () => reader[Symbol.asyncDispose](),
  }
}
