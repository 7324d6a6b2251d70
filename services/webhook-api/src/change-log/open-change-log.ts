import type { PlatformAccess } from '@surehook/access/management-access'
import { changesTopic } from '@surehook/contracts/topics'
import type { Kafka } from '@surehook/kafka/client/surface'
import { type LogReader, openLogReader } from '@surehook/kafka/readers/log-reader'
import { readTopicId } from '@surehook/kafka/topics/topic-id'
import type { EventCodec } from '@surehook/schemas/codec'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import { cachedFor } from '../installation/cached-for.ts'
import { ChangeLog } from './change-log.ts'
import { createOwnBounds, type OwnBounds } from './own-changes.ts'

export type ChangeLogOptions = {
  kafka: Kafka
  codec: Pick<EventCodec, 'change'>
  config: { kafka: { clientId: string } }
  access: Pick<PlatformAccess, 'originOf'>
  log: Logger
}

/** The topic's id changes only with a re-creation of the topic. */
const topicIdForMs = 60_000

export type OpenChangeLog = AsyncDisposable & {
  changeLog: ChangeLog
  reader: LogReader
  ownBounds: OwnBounds
}

/** Opens the log of changes for searches, with a reader for requests only. */
export function openChangeLog(options: ChangeLogOptions): OpenChangeLog {
  const { kafka, codec, config, access, log } = options
  const { clientId } = config.kafka
  const reader = openLogReader({ kafka, topic: changesTopic, clientId, log })
  const topicId = cachedFor(topicIdForMs, async () =>
    (await readTopicId(kafka, changesTopic)).toString('hex'),
  )
  const ownBounds = createOwnBounds({ reader, access, topicId })
  return {
    changeLog: new ChangeLog({ reader, ownBounds, codec, now: Date.now }),
    ...{ reader, ownBounds },
    [Symbol.asyncDispose]: () => reader[Symbol.asyncDispose](),
  }
}
