import { afterAll, beforeAll } from '@jest/globals'
import { openPool } from '@surehook/service-kit/postgres/pool'
import { openTestDatabase, type TestDatabase } from '@surehook/testing/service-database'
import type { Pool } from 'pg'
import { encryptionKey, log, sharedStack } from './under-test.ts'

/** A history database for the tests of a file, without the service. */
export function useHistoryDatabase(): { readonly pool: Pool } {
  const opened = {} as { database: TestDatabase; pool: Pool }
  beforeAll(async () => {
    const migrationsDir = new URL('../../migrations/history', import.meta.url).pathname
    opened.database = await openTestDatabase({
      adminUrl: sharedStack().databaseUrl,
      service: { service: 'webhook-api', migrationsDir },
      keyEncryptionKey: encryptionKey,
      log,
    })
    const connectionString = opened.database.databaseUrl
    opened.pool = openPool({ connectionString, applicationName: 'test', log })
  })
  afterAll(async () => {
    await opened.pool?.end()
    await opened.database?.[Symbol.asyncDispose]()
  })
  return opened
}
