import { createStateWriter, type StateWriter } from '@surehook/change-capture/emit/state-writer'
import type { Relay } from '@surehook/change-capture/relay/relay'
import type { EncryptionKeys } from '@surehook/service-kit/config/config'
import type { Pool } from 'pg'
import { type ConnectionSlots, connectionSlots } from './connection-slots.ts'
import { createKeyedWriter, type KeyedWriter } from './keyed-writer.ts'

/** The database for requests, and for work that no request waits for. */
export type Database = {
  pool: Pool
  slots: ConnectionSlots
  writer: StateWriter
  keyedWriter: KeyedWriter
  background: { pool: Pool; writer: StateWriter }
}

export type DatabaseOptions = {
  pool: Pool
  background: Pool
  service: string
  config: { slot: string; encryptionKeys: EncryptionKeys }
  producer: { readonly healthy: boolean }
  relay: Pick<Relay, 'healthy'>
}

export function openDatabase(options: DatabaseOptions): Database {
  const { pool, background, service, config, producer, relay } = options
  const writing = { relayPool: background, service, slot: config.slot, producer, relay }
  const writer = createStateWriter({ pool, ...writing })
  const slots = connectionSlots(pool)
  return {
    ...{ pool, slots, writer },
    keyedWriter: createKeyedWriter(writer, config.encryptionKeys, slots),
    background: { pool: background, writer: createStateWriter({ pool: background, ...writing }) },
  }
}
