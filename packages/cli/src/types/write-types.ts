import { isDeepStrictEqual } from 'node:util'
import type { FieldType } from '@surehook/contracts/filter/filter'
import type { Field, TableFields } from './table-fields.ts'
import { type TypeNames, typeNames } from './type-names.ts'

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

/** Users get no webhooks, and so no type for their bodies. */
type TypesOptions = { events: boolean }

/**
 * Writes the TypeScript types of tables and of their events. The text depends only on the names and
 * columns: tables and columns are sorted, because environments differ in the order of creation.
 */
export function writeTypes(tables: readonly TableFields[], options: TypesOptions): string {
  const names = typeNames(tables.map(({ name }) => name))
  const sorted = tables.toSorted(byName)
  const blocks = sorted.map((table) => tableTypes(table, namesIn(names, table), options))
  return [head, ...blocks, tableMap(sorted, names, options)].join('\n')
}

function tableTypes(
  { name, assigned, read, create, update }: TableFields,
  names: TypeNames,
  { events }: TypesOptions,
): string {
  return [
    typeText(`A record of the table \`${name}\`.`, names.record, [
      ...Object.entries(assigned).map(([field, type]) => `${field}: ${valueTypes[type]}`),
      ...read.toSorted(byColumn).map(shown),
    ]),
    typeText(`A new record of \`${name}\`.`, names.new, create?.toSorted(byColumn).map(given)),
    changesType(`Changes of a record of \`${name}\`. \`null\` clears a field.`, names, {
      create,
      update,
    }),
    ...(events ? [eventType(name, names)] : []),
  ].join('\n')
}

function changesType(
  comment: string,
  { changes, new: created }: TypeNames,
  { create, update }: Pick<TableFields, 'create' | 'update'>,
): string {
  const namesOf = (fields: TableFields['create']) =>
    fields?.map(({ column: { name } }) => name).toSorted()
  if (update !== null && isDeepStrictEqual(namesOf(create), namesOf(update))) {
    return `/** ${comment} */\nexport type ${changes} = Partial<${created}>\n`
  }
  const optional = update?.toSorted(byColumn).map(({ column }) => given({ column, isInAll: false }))
  return typeText(comment, changes, optional)
}

/**
 * A column without a value is `null` in answers, unless every record has one. A column that only
 * some rules show is `null` or missing in the records of the others.
 */
const shown = ({ column: { name, type: kind, required }, isInAll }: Field): string =>
  `${keyOf(name)}${isInAll ? '' : '?'}: ${nullable(valueTypes[kind], required && isInAll)}`

/** Columns of a source may have any name. */
const keyOf = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name))

function given({ column, isInAll }: Field): string {
  const { name, type: kind, required, default: usual } = column
  const isOptional = !isInAll || !required || (usual !== null && usual !== undefined)
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

function tableMap(
  tables: readonly TableFields[],
  names: ReadonlyMap<string, TypeNames>,
  { events }: TypesOptions,
): string {
  const entries = tables.map((table) => {
    const { record, new: created, changes, event } = namesIn(names, table)
    const fields = [`record: ${record}`, `new: ${created}`, `changes: ${changes}`]
    return `${table.name}: { ${[...fields, ...(events ? [`event: ${event}`] : [])].join('; ')} }`
  })
  return typeText('The types of each table.', 'Tables', entries)
}

/** Without fields, no value has the type. */
function typeText(comment: string, name: string, fields: readonly string[] | undefined): string {
  return `/** ${comment} */\nexport type ${name} = ${fields === undefined ? 'never' : bodyOf(fields)}\n`
}

const bodyOf = (fields: readonly string[]): string =>
  fields.length === 0 ? '{}' : `{\n${fields.map((field) => `  ${field}\n`).join('')}}`

function namesIn(names: ReadonlyMap<string, TypeNames>, { name }: TableFields): TypeNames {
  const found = names.get(name)
  if (found === undefined) throw new Error(`${name} has no names`)
  return found
}

const byName = (a: { name: string }, b: { name: string }): number =>
  a.name < b.name ? -1 : Number(a.name > b.name)

const byColumn = (a: Field, b: Field): number => byName(a.column, b.column)
