import { isDeepStrictEqual } from 'node:util'
import { type AccessInput, accessActions } from '@surehook/contracts/http/data/access'
import { ownerAccess, ownerColumn } from '@surehook/contracts/http/data/owner-access'
import { sourceOf, type TableSource } from '@surehook/contracts/http/data/table-source'
import type { FileTable } from '../file/schema.ts'
import type { Wishes } from '../file/wishes.ts'
import { emptyPart, type Part } from './part.ts'
import type { Change, PlanOptions, State, StoredTable } from './steps.ts'

type Column = StoredTable['columns'][number]

export function planTables({ tables }: Wishes, state: State, options: PlanOptions): Part {
  const part = emptyPart()
  if (tables === undefined) return part
  const existing = new Map(state.tables?.map((table) => [table.name, table]))
  for (const [name, wish] of Object.entries(tables)) planTable(part, name, wish, existing.get(name))
  for (const table of existing.values()) {
    if (!Object.hasOwn(tables, table.name)) planDeletion(part, table, options)
  }
  return part
}

function planTable(part: Part, name: string, wish: FileTable, table?: StoredTable): void {
  const source = sourceOf(wish)
  const fault = table && kindFault(table.source, source)
  if (fault) part.refusals.push(`table ${name}: ${fault}`)
  else if (source !== null) planSourceTable(part, name, source, table)
  else planOwnTable(part, name, wish, table)
}

/** Only a new table can have its rows elsewhere. */
function kindFault(now: StoredTable['source'], wanted: TableSource | null): string | undefined {
  if (now?.name === wanted?.name) return undefined
  const has = now ? `is a table of the source ${now.name}` : 'has its records in the data API'
  return `${has}: delete it first`
}

/** Its columns are those of the relation: no file lists them. */
function planSourceTable(
  part: Part,
  name: string,
  source: TableSource,
  table: StoredTable | undefined,
): void {
  const { name: of, relation, exclude } = source
  const before = table?.source
  const changes: Change[] = [
    { field: 'source', before: before?.name ?? null, after: of },
    { field: 'relation', before: before?.relation ?? null, after: relation },
    { field: 'exclude', before: before?.exclude ?? [], after: exclude },
  ].filter((change) => !isDeepStrictEqual(change.before, change.after))
  if (changes.length === 0) return
  const action = table === undefined ? 'create' : 'update'
  const input = { source: of, relation, exclude }
  part.steps.push({ kind: 'table', action, name, changes, input })
}

function planOwnTable(
  part: Part,
  name: string,
  given: FileTable,
  table: StoredTable | undefined,
): void {
  const wish = withOwner(given)
  const wanted = Object.entries(wish.columns).map(
    ([column, { type, required = false, unique = false, default: value = null }]): Column => ({
      name: column,
      type,
      required,
      unique,
      default: value,
    }),
  )
  const columns = merged(part, name, table?.columns ?? [], wanted)
  const input: Definition = { columns, access: accessOf(wish) }
  const changes = table === undefined ? changesOf(none, input) : changesOf(table, input)
  if (table !== undefined && changes.length === 0) return
  const action = table === undefined ? 'create' : 'update'
  part.steps.push({ kind: 'table', action, name, changes, input })
}

type Definition = Pick<StoredTable, 'columns' | 'access'>
type Access = Definition['access']

type WrittenTable = { columns: NonNullable<FileTable['columns']>; access: AccessInput }

/** Writes out the preset `owner`, so that the plan shows what it stands for. */
function withOwner({ columns = {}, access }: FileTable): WrittenTable {
  if (access !== 'owner') return { columns, access: access ?? {} }
  const { name, type } = ownerColumn
  return { columns: { ...columns, [name]: columns[name] ?? { type } }, access: ownerAccess }
}

/** An action that the file lacks is of no user. */
function accessOf({ access }: WrittenTable): Access {
  // The schema's type allows `undefined` in a rule, which no file can hold.
  return { ...none.access, ...(access as Partial<Access>) }
}

/** A request lists every column, so those that the file lacks are listed as they are. */
function merged(
  part: Part,
  table: string,
  existing: readonly Column[],
  wanted: readonly Column[],
): Column[] {
  const wishes = new Map(wanted.map((column) => [column.name, column]))
  const kept = existing.map((column) => {
    const wish = wishes.get(column.name)
    wishes.delete(column.name)
    const place = `column ${table}.${column.name}`
    if (wish === undefined) {
      part.left.push(`${place} (no column can be deleted)`)
      return column
    }
    part.refusals.push(...faultsOf(column, wish).map((fault) => `${place}: ${fault}`))
    return wish
  })
  return [...kept, ...wishes.values()]
}

/** Changes that the API refuses for any records. */
function faultsOf(column: Column, wish: Column): string[] {
  return [
    ...(column.type === wish.type ? [] : [`is ${column.type}, and a type cannot change`]),
    ...(wish.required && !column.required ? ['cannot become required'] : []),
    ...(wish.unique && !column.unique ? ['cannot become unique'] : []),
  ]
}

const none: Definition = {
  columns: [],
  access: { read: [], create: [], update: [], delete: [] },
}

function changesOf(before: Definition, after: Definition): Change[] {
  const columns = new Map(before.columns.map((column) => [column.name, column]))
  const ofColumns = after.columns.map(({ name, ...wish }) => {
    const { name: _, ...column } = columns.get(name) ?? { name }
    const old = columns.has(name) ? column : null
    return { field: `columns.${name}`, before: old, after: wish }
  })
  const ofAccess = accessActions.map((action) => ({
    field: `access.${action}`,
    before: before.access[action],
    after: after.access[action],
  }))
  return [...ofColumns, ...ofAccess].filter(
    (change) => !isDeepStrictEqual(change.before, change.after),
  )
}

function planDeletion(part: Part, table: StoredTable, options: PlanOptions): void {
  const { name, hasRecords } = table
  if (!options.prune) {
    part.left.push(`table ${name}`)
    return
  }
  // Unknown counts as "has records": the token may not look.
  if (hasRecords !== false && !options.allowDataLoss) {
    part.refusals.push(`table ${name}: has records; --allow-data-loss deletes them`)
  }
  part.deletions.push({ kind: 'table', action: 'delete', name, changes: [] })
}
