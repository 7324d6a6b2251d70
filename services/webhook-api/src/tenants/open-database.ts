import { createStateWriter, type StateWriter } from '@surehook/change-capture/emit/state-writer'
import type { Relay } from '@surehook/change-capture/relay/relay'
import type { EncryptionKeys } from '@surehook/service-kit/config/config'
import { openPool, type PoolOptions } from '@surehook/service-kit/postgres/pool'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { Pool } from 'pg'
import { type ConnectionSlots, connectionSlots } from './connection-slots.ts'
import { createKeyedWriter, type KeyedWriter } from './keyed-writer.ts'

/** Connections to the two databases of the service. No transaction spans both. */
export type Pools = {
  /** Connections to the database of subscriptions, and of all that commits with them. */
  pool: Pool
  /** Connections to the history database. Subscriptions can be managed while it is away. */
  historyPool: Pool
}

/** The databases for requests, and for work that no request waits for. */
export type Database = Pools & {
  slots: ConnectionSlots
  writer: StateWriter
  keyedWriter: KeyedWriter
  background: Pools & { writer: StateWriter }
}

/** The most connections to each database: of requests, and of background work. */
export const connections = { requests: 10, background: 3 }

/** A history that does not answer makes a request fail two seconds later. */
const historyTimeoutMs = 5_000

/** Opens pools to the history database, which connect at their first query. */
export function openHistoryPools(
  opening: AsyncDisposableStack,
  { historyUrl: connectionString, applicationName, log }: HistoryPoolOptions,
): Record<keyof typeof connections, Pool> {
  const open = (max: number, limits: Pick<PoolOptions, 'statementTimeoutMs'> = {}) =>
    opening.adopt(openPool({ connectionString, applicationName, max, log, ...limits }), (pool) =>
      pool.end(),
    )
  return {
    requests: open(connections.requests, { statementTimeoutMs: historyTimeoutMs }),
    background: open(connections.background),
  }
}

type HistoryPoolOptions = { historyUrl: string; applicationName: string; log: Logger }

export type DatabaseOptions = Pools & {
  background: Pools
  service: string
  config: { slot: string; encryptionKeys: EncryptionKeys }
  producer: { readonly healthy: boolean }
  relay: Pick<Relay, 'healthy'>
}

export function openDatabase(options: DatabaseOptions): Database {
  const { pool, historyPool, background, service, config, producer, relay } = options
  const writing = { relayPool: background.pool, service, slot: config.slot, producer, relay }
  const writer = createStateWriter({ pool, ...writing })
  const slots = connectionSlots({ pool, historyPool })
  return {
    ...{ pool, historyPool, slots, writer },
    keyedWriter: createKeyedWriter(writer, config.encryptionKeys, slots),
    background: { ...background, writer: createStateWriter({ ...writing, pool: background.pool }) },
  }
}
