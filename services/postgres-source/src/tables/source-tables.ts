import type { TableState } from '@surehook/contracts/events'
import { tablesTopic } from '@surehook/contracts/topics'
import type { Kafka } from '@surehook/kafka/client/surface'
import { openTopicView } from '@surehook/kafka/views/topic-view'
import type { EventCodec, TypeCodec } from '@surehook/schemas/codec'
import type { Logger } from 'pino'
import type { Tenant } from '../source-row.ts'

/** A table of an environment that follows a relation of a source. */
export type SourceTable = {
  table: string
  /** As the user named it. */
  relation: string
  exclude: readonly string[]
  /** ISO 8601. Tells the table from an earlier one of its name. */
  createdAt: string
}

type OfSource = Tenant & { name: string }

export type SourceTables = AsyncDisposable & {
  readonly ready: Promise<void>
  readonly healthy: boolean
  /** The tables that follow a source, sorted by name. */
  of(source: OfSource): SourceTable[]
}

/** Follows the tables of data-api, and keeps those of sources. */
export async function openSourceTables({
  kafka,
  codec,
  clientId,
  log,
}: {
  kafka: Kafka
  codec: Pick<EventCodec, 'table'>
  clientId: string
  log: Logger
}): Promise<SourceTables> {
  const byKey = new Map<string, TableState>()
  const view = await openTopicView<TableState>({
    kafka,
    codec: { ofTopic: (): TypeCodec<TableState> => codec.table },
    clientId: `${clientId}.tables`,
    topics: [tablesTopic],
    apply(_topic, key, table) {
      if (table === null || table.source === null) byKey.delete(key)
      else byKey.set(key, table)
    },
    log,
  })
  return {
    ready: view.ready,
    get healthy() {
      return view.healthy
    },
    of: (source) =>
      [...byKey.values()]
        .flatMap((state) => tableOf(state, source))
        .toSorted((a, b) => (a.table < b.table ? -1 : 1)),
    [Symbol.asyncDispose]: () => view[Symbol.asyncDispose](),
  }
}

function tableOf(state: TableState, { projectId, environment, name }: OfSource): SourceTable[] {
  const { source, createdAt } = state
  const isOf =
    source?.name === name && state.projectId === projectId && state.environment === environment
  if (!isOf || createdAt === null) return []
  const { relation, exclude } = source
  return [{ table: state.name, relation, exclude, createdAt }]
}
