import type { EventProducer } from '@surehook/kafka/producer/producer'
import type { EventCodec } from '@surehook/schemas/codec'
import type { ClientConfig, Pool } from 'pg'
import type { Logger } from 'pino'
import type { Connect } from '../connection/connect.ts'
import type { SourceMetrics } from '../metrics.ts'
import type { SourceRow } from '../source-row.ts'
import type { SourceTables } from '../tables/source-tables.ts'

export type RunDeps = {
  /** Surehook's own database. */
  pool: Pool
  /** This replica, as it holds leases. */
  owner: string
  connect: Connect
  connectionOf: (row: SourceRow) => ClientConfig
  tables: Pick<SourceTables, 'of'>
  producer: Pick<EventProducer, 'send' | 'healthy'>
  codec: Pick<EventCodec, 'change' | 'invalid' | 'sourceColumns'>
  metrics: SourceMetrics
  log: Logger
}
