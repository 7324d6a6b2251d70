import type { TenantSlots } from '@surehook/access/limits/tenant-slots'
import type { UserValuesOf } from '@surehook/access/users/user-values'
import { connectTimeoutMs } from '@surehook/service-kit/postgres/pool'
import type { Pool } from 'pg'
import { createTableCache } from '../tables/table-cache.ts'
import { createRecordApi, type RecordApi } from './record-api.ts'
import { createSharedGets } from './sql/shared-gets.ts'
import { createSharedInserts } from './write/shared-inserts.ts'

/** The record API for each of the two ways in which a request uses the slots of its project. */
export type RecordApis = {
  /** For a request that holds a slot. Its statements take none. */
  gated: RecordApi
  /** For a request that holds no slot. Its statements take slots, and requests share statements. */
  shared: Pick<RecordApi, 'create' | 'get'>
}

export type RecordApisDeps = { pool: Pool; slots: TenantSlots; users: UserValuesOf }

export function createRecordApis({ pool, slots, users }: RecordApisDeps): RecordApis {
  const sharing = { enter: slots.run, maxWaitMs: connectTimeoutMs(pool) }
  const gated = createRecordApi({
    pool,
    users,
    tables: createTableCache(pool),
    enter: (_tenant, work) => work(),
  })
  const shared = createRecordApi({
    pool,
    users,
    enter: slots.run,
    tables: createTableCache(pool, sharing),
    inserts: createSharedInserts(pool, sharing),
    gets: createSharedGets(pool, sharing),
  })
  return {
    gated,
    shared: {
      get: shared.get,
      // A new record shares statements if it comes alone.
      create: (call, table, input) =>
        Array.isArray(input)
          ? slots.run(call.auth.tenant, () => gated.create(call, table, input))
          : shared.create(call, table, input),
    },
  }
}
