import { code, sentence } from '../markdown.ts'
import { componentOf, type OpenApiDocument, type Schema } from './openapi-document.ts'
import { limitsOf, nullable, typeOf } from './schema-words.ts'

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
