import { AppError } from '@surehook/service-kit/errors'
import { type KeyedRequest, scopeText } from '@surehook/service-kit/idempotency/once-per-key'
import { sqlStateOf } from '@surehook/service-kit/postgres/sql-state'
import type { Pool } from 'pg'
import type { Tenant } from '../../table-definition.ts'
import { insertValues } from '../../tables/record-statements.ts'
import type { KnownTable } from '../../tables/table-cache.ts'
import type { ColumnValues } from '../record-values.ts'
import { idOf, runStatement } from '../sql/run-statement.ts'
import { createSharedStatements, type SharedStatementsOptions } from '../sql/shared-statements.ts'

/** A new record: the head of its change event, and its values. */
export type NewRow = { head: string; values: ColumnValues }

type KeyedRow = NewRow & { once: KeyedRequest }

export type SharedInserts = {
  /**
   * @returns the whole record as JSON; `null` if the table's definition is outdated, or if the key
   * is in use
   */
  run(
    tenant: Tenant,
    table: KnownTable,
    row: NewRow & { once: KeyedRequest | undefined },
  ): Promise<string | null>
}

type Sharing = Pick<SharedStatementsOptions<NewRow>, 'enter' | 'maxWaitMs'>

/** Inserts of one record each share statements. A statement writes all admitted rows, or none. */
export function createSharedInserts(pool: Pool, sharing: Sharing): SharedInserts {
  const plain = createSharedStatements<NewRow>({
    ...sharing,
    ...insertRules,
    statement: (table, rows) =>
      runStatement(pool, table, { statement: 'insert', values: valuesOf(rows) }),
  })
  const keyed = createSharedStatements<KeyedRow>({
    ...sharing,
    ...insertRules,
    async statement(table, rows) {
      const values = valuesOf(rows)
      const requests = rows.map(({ once }) => once)
      const keys = requests.map(({ key }) => key)
      const fingerprints = requests.map(({ fingerprint }) => fingerprint)
      const texts = await runStatement(pool, table, {
        statement: 'insertKeyed',
        values: [...values, requests.map(scopeText), keys, fingerprints],
      })
      const written = new Map(texts.map((text) => [idOf(text), text]))
      const [, ids] = values
      return ids.map((id) => written.get(id) ?? null)
    },
  })
  return {
    run: (tenant, table, { once, ...row }) =>
      once === undefined
        ? plain.run(tenant, table, row)
        : keyed.run(tenant, table, { ...row, once }),
  }
}

const valuesOf = (rows: readonly NewRow[]) =>
  insertValues(
    rows.map(({ head }) => head),
    rows.map(({ values }) => values),
  )

/**
 * Errors by which PostgreSQL refuses one row, and writes none: its data, a constraint, a deadlock
 * over unique values, its size.
 */
const rowErrors = /^(?:2[23]...|40P01)$/

export const insertRules = {
  sizeOf: ({ values }: NewRow) => values.reduce((sum, value) => sum + (value?.length ?? 0), 0),
  isOfOneItem: (err: unknown) =>
    err instanceof AppError
      ? err.code === 'PAYLOAD_TOO_LARGE'
      : rowErrors.test(sqlStateOf(err) ?? ''),
}
