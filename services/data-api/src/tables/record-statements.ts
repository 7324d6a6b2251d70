import { newEventId } from '@surehook/contracts/ids'
import type { TableDefinition } from '../table-definition.ts'
import {
  deleteIfSql,
  deleteSql,
  getSql,
  insertSql,
  isExpected,
  keyedInsertSql,
  recordJson,
  targetOf,
  updateSql,
} from './record-sql.ts'

/** The parts of a list's query; the table is `t`. */
export type ListParts = { record: string; from: string; where: string }

/** Stores each key with its answer: the number of the table's columns, then one record per line. */
export const idempotencyTable = 'idempotency_key'

/** The SQL for one version of a table. Every statement returns `record`, a JSON text, per row. */
export type RecordStatements = {
  /**
   * `$1` heads, `$2` ids, then one array per column. Returns one record per element, in the order
   * of the ids.
   */
  insert: string
  /**
   * Like `insert`, with the scopes, keys and fingerprints of the rows as three more arrays. Returns
   * only the records whose key was free.
   */
  insertKeyed: string
  /**
   * `$1` head, `$2` id, `$3` which columns are given, `$4` their values, `$5` whether it also writes
   * when nothing differs.
   */
  update: string
  /** `$1` head, `$2` id. */
  delete: string
  /**
   * Like `update` and `delete`, with two more parameters: the record's `updatedAt` must be in the
   * first array (`null`: any) and must not be in the second. Otherwise it does nothing and returns
   * `null`.
   */
  updateIf: string
  deleteIf: string
  /** `$1` ids. Returns the existing records, in any order. */
  get: string
}

/** Builds the parameters of `insert`, with new ids. */
export function insertValues(
  heads: readonly string[],
  rows: readonly (readonly (string | null)[])[],
): [heads: readonly string[], ids: readonly string[], ...columns: unknown[]] {
  const ids = rows.map(newEventId).toSorted()
  const columns = rows[0]?.map((_, column) => rows.map((row) => row[column] ?? null))
  return [heads, ids, ...(columns ?? [])]
}

/**
 * Builds the statements. Each does nothing if the table is no longer at this version. The lock on
 * the table comes before the snapshot, and DDL changes table and catalogue in one transaction, so
 * no statement meets unknown columns.
 */
export function recordStatements(table: TableDefinition): RecordStatements {
  const target = targetOf(table)
  return {
    insert: insertSql(target),
    insertKeyed: keyedInsertSql(target, idempotencyTable),
    update: updateSql(target, { expected: null }),
    delete: deleteSql(target),
    // Built on demand, because preconditions are rare.
    get updateIf() {
      return updateSql(target, { expected: isExpected(6) })
    },
    get deleteIf() {
      return deleteIfSql(target, isExpected(3))
    },
    get: getSql(target),
  }
}

/** Like the statements, it returns no rows if the table is no longer at this version. */
export function listParts(table: TableDefinition): ListParts {
  const { name, current } = targetOf(table)
  return { record: recordJson(table, 't'), from: `${name} t`, where: current }
}
