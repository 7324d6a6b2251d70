import type { Pool } from 'pg'
import { runStatement } from '../sql/run-statement.ts'
import {
  createSharedStatements,
  type SharedStatements,
  type SharedStatementsOptions,
} from '../sql/shared-statements.ts'

/** Of the ids of records. */
export type SharedGets = SharedStatements<string>

type Sharing = Pick<SharedStatementsOptions<string>, 'enter' | 'maxWaitMs'>

/** So many of the largest records, and no more, are in one answer of PostgreSQL. */
const maxIds = 16
const maxChars = 500_000

/** Reads of one record each. */
export const createSharedGets = (pool: Pool, sharing: Sharing): SharedGets =>
  createSharedStatements({
    ...sharing,
    sizeOf: () => maxChars / maxIds,
    isOfOneItem: () => false,
    async statement(table, ids) {
      const distinct = [...new Set(ids.map((id) => id.toLowerCase()))]
      const texts = await runStatement(pool, table, { statement: 'get', values: [distinct] })
      const found = new Map(texts.map((text) => [idOf(text), text]))
      return ids.map((id) => found.get(id.toLowerCase()) ?? null)
    },
  })

/** Every record begins with it. */
const idOf = (record: string) => record.slice('{"id":"'.length, '{"id":"'.length + 36)
