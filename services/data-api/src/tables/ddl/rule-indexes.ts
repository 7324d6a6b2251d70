import { conditionsOf } from '@surehook/contracts/filter/anchor'
import type { Filter } from '@surehook/contracts/filter/filter'
import { parseFilter } from '@surehook/contracts/filter/parse-filter'
import { accessActions } from '@surehook/contracts/http/data/access'
import type { Pool, PoolClient } from 'pg'
import { fieldTypes, type TableDefinition, type TableShape } from '../../table-definition.ts'
import { sampled } from './access-faults.ts'
import { buildIndex, withSchemaLocked } from './build-index.ts'
import { qualifiedTable, ruleIndex } from './table-ddl.ts'

/**
 * Makes the indexes that the table's rules want and that are missing. It runs after each change of
 * the definition, because a build waits for the end of older transactions. A repeated request
 * completes what an interrupted one left.
 */
export async function indexForRules(pool: Pool, table: TableDefinition): Promise<void> {
  if ((await missingIndexes(pool, table)).length === 0) return
  await withSchemaLocked(pool, table.schema, async (client) => {
    for (const column of await missingIndexes(client, table)) {
      const name = ruleIndex(
        table,
        table.columns.findIndex((of) => of.name === column),
      )
      // Lists of the rule's records are by id.
      await buildIndex(client, table, { name, columns: [column, 'id'] })
    }
  })
}

async function missingIndexes(db: Pool | PoolClient, table: TableDefinition): Promise<string[]> {
  const wanted = indexedColumns(table)
  if (wanted.length === 0) return []
  const { rows } = await db.query<{ column: string }>(
    `select a.attname as column
       from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
      where i.indrelid = $1::regclass and i.indisvalid`,
    [qualifiedTable(table)],
  )
  const indexed = new Set(rows.map(({ column }) => column))
  return wanted.filter((column) => !indexed.has(column))
}

/** The columns of which the conditions of a rule require certain values. */
export function indexedColumns({ columns, access }: TableShape): string[] {
  const fields = fieldTypes({ columns })
  const wheres = accessActions
    .filter((action) => action !== 'create')
    .flatMap((action) => access[action])
    .flatMap((entry) => (typeof entry === 'string' || !entry.where ? [] : [entry.where]))
  const wanted = wheres.flatMap((where) => {
    const parsed = parseFilter(sampled(where, fields), { fields, changed: false })
    return parsed.ok ? requiredFields(parsed.filter).slice(0, 1) : []
  })
  return [...new Set(wanted)].filter((name) => columns.some((column) => column.name === name))
}

/** Returns the fields that must have one of some values. */
const requiredFields = (filter: Filter): string[] =>
  [...conditionsOf(filter)].flatMap(({ op, path, type }) => {
    const isListed = op === 'eq' || op === 'in'
    return isListed && type !== 'json' && type !== 'boolean' ? [path[0]] : []
  })
