import type { Pool } from 'pg'
import { idOf, runStatement } from './run-statement.ts'
import {
  createSharedStatements,
  type SharedStatements,
  type SharedStatementsOptions,
} from './shared-statements.ts'

/** Items are ids of records. */
export type SharedGets = SharedStatements<string>

type Sharing = Pick<SharedStatementsOptions<string>, 'enter' | 'maxWaitMs'>

/** Bounds an answer of PostgreSQL to this many of the largest records. */
const maxIds = 16
const maxChars = 500_000

/** Reads of one record each share statements. */
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
