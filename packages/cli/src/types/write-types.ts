import type { Table } from '@surehook/client'
import type { FieldType } from '@surehook/contracts/filter/filter'
import { assignedFields } from '@surehook/contracts/http/data/names'
import { type TypeNames, typeNames } from './type-names.ts'

export type TypedTable = Pick<Table, 'name' | 'columns'>
type Column = TypedTable['columns'][number]

/** The type of a value in an answer or an event. */
const valueTypes: Record<FieldType, string> = {
  text: 'string',
  integer: 'number',
  bigint: 'string',
  double: 'number',
  decimal: 'string',
  boolean: 'boolean',
  timestamp: 'string',
  date: 'string',
  uuid: 'string',
  json: 'Json',
}

/** Types whose values a request may also give as numbers. */
const alsoNumbers: ReadonlySet<FieldType> = new Set(['bigint', 'decimal'])

const head = `// Written by "surehook types". Do not change it: run the command again.

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }
`

/**
 * Writes the TypeScript types of tables and of their events. The text depends only on the names and
 * columns: tables and columns are sorted, because environments differ in the order of creation.
 */
export function writeTypes(tables: readonly TypedTable[]): string {
  const names = typeNames(tables.map(({ name }) => name))
  const sorted = tables.toSorted(byName)
  const blocks = sorted.map((table) => tableTypes(table, namesIn(names, table)))
  return [head, ...blocks, tableMap(sorted, names)].join('\n')
}

function tableTypes({ name, columns }: TypedTable, names: TypeNames): string {
  const sorted = columns.toSorted(byName)
  const assigned = Object.entries(assignedFields).map(
    ([field, type]) => `${field}: ${valueTypes[type]}`,
  )
  return [
    typeText(`A record of the table \`${name}\`.`, names.record, [
      ...assigned,
      ...sorted.map(shown),
    ]),
    typeText(`A new record of \`${name}\`.`, names.new, sorted.map(given)),
    `/** Changes of a record of \`${name}\`. \`null\` clears a field. */`,
    `export type ${names.changes} = Partial<${names.new}>\n`,
    eventType(name, names),
  ].join('\n')
}

/** A column without a value is `null` in answers, unless every record has one. */
const shown = ({ name, type: kind, required }: Column): string =>
  `${name}: ${nullable(valueTypes[kind], required)}`

function given({ name, type: kind, required, default: usual }: Column): string {
  const isOptional = !required || (usual !== null && usual !== undefined)
  const values = alsoNumbers.has(kind) ? `${valueTypes[kind]} | number` : valueTypes[kind]
  return `${name}${isOptional ? '?' : ''}: ${nullable(values, required)}`
}

/** `Json` includes `null` already. */
const nullable = (values: string, required: boolean): string =>
  required || values === 'Json' ? values : `${values} | null`

/** The body of a webhook. `select` leaves only some fields of the record. */
function eventType(table: string, { record, event }: TypeNames): string {
  const fields = [
    'id: string',
    'timestamp: string',
    'project_id: string',
    'environment: string',
    `table: '${table}'`,
    `record: Pick<${record}, Selected>`,
    `data: Pick<${record}, Selected>`,
  ]
  const kinds = [
    "{ event: 'INSERT' | 'DELETE'; changed_fields: [] }",
    `{ event: 'UPDATE'; changed_fields: (keyof ${record})[] }`,
  ]
  return [
    `/** The body of a webhook about \`${table}\`. \`Selected\`: the fields of its \`select\`. */`,
    `export type ${event}<Selected extends keyof ${record} = keyof ${record}> = {`,
    ...fields.map((field) => `  ${field}`),
    `} & (${kinds.join(' | ')})\n`,
  ].join('\n')
}

function tableMap(tables: readonly TypedTable[], names: ReadonlyMap<string, TypeNames>): string {
  const entries = tables.map((table) => {
    const { record, new: created, changes, event } = namesIn(names, table)
    return `${table.name}: { record: ${record}; new: ${created}; changes: ${changes}; event: ${event} }`
  })
  return typeText('The types of each table.', 'Tables', entries)
}

function typeText(comment: string, name: string, fields: readonly string[]): string {
  const body = fields.length === 0 ? '{}' : `{\n${fields.map((field) => `  ${field}\n`).join('')}}`
  return `/** ${comment} */\nexport type ${name} = ${body}\n`
}

function namesIn(names: ReadonlyMap<string, TypeNames>, { name }: TypedTable): TypeNames {
  const found = names.get(name)
  if (found === undefined) throw new Error(`${name} has no names`)
  return found
}

const byName = (a: { name: string }, b: { name: string }): number =>
  a.name < b.name ? -1 : Number(a.name > b.name)
