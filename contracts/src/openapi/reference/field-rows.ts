import { headerName } from './curl.ts'
import {
  componentOf,
  type OpenApiDocument,
  type Parameter,
  type Schema,
} from './openapi-document.ts'
import { limitsOf, nullable, typeOf } from './schema-words.ts'
import { code, sentence } from './words.ts'

export type FieldRow = readonly [field: string, type: string, limits: string, meaning: string]

type Options = {
  /** Components with their own table, which are linked and not expanded. */
  linked?: ReadonlySet<string>
}

/**
 * Lists the fields of an object. Nested fields are named `outer.inner`, and those in arrays
 * `list[].inner`.
 */
export function fieldRows(
  document: OpenApiDocument,
  given: Schema,
  { linked = new Set() }: Options = {},
  prefix = '',
): FieldRow[] {
  const { schema } = nullable(document, given)
  if (schema.items !== undefined) {
    return fieldRows(document, schema.items, { linked }, prefix === '' ? '' : `${prefix}[]`)
  }
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`
    const isRequired = schema.required?.includes(name) === true
    const component = componentOf(field)
    const isLinked = component !== null && linked.has(component)
    const inner = isLinked ? [] : fieldRows(document, field, { linked }, path)
    return [
      rowOf(document, field, { path, isRequired, link: isLinked ? component : null }),
      ...inner,
    ]
  })
}

function rowOf(
  document: OpenApiDocument,
  field: Schema,
  { path, isRequired, link }: { path: string; isRequired: boolean; link: string | null },
): FieldRow {
  const { description, items } = nullable(document, field).schema
  const type = typeOf(document, field)
  return [
    code(path),
    link === null ? type : type.replace('object', `[${link}](#${link.toLowerCase()})`),
    limitsOf(document, field, isRequired),
    sentence(description ?? items?.description ?? ''),
  ]
}

/** Describes a parameter as a field. A header has its usual spelling. */
export function parameterRow(document: OpenApiDocument, parameter: Parameter): FieldRow {
  const { schema, description } = parameter
  const name = parameter.in === 'header' ? headerName(parameter.name) : parameter.name
  const meaning = description ?? nullable(document, schema).schema.description ?? ''
  return [
    `${code(name)} (${parameter.in})`,
    typeOf(document, schema),
    limitsOf(document, schema, parameter.required === true),
    sentence(meaning),
  ]
}

/** Lists the fields of one item if the schema allows one or many. */
export function bodyRows(document: OpenApiDocument, schema: Schema): FieldRow[] {
  const [one] = schema.anyOf ?? []
  return fieldRows(document, one ?? schema)
}
