import { type OpenApiDocument, resolve, type Schema } from './openapi-document.ts'
import { code } from './words.ts'

/** The limit of a field with all error codes. */
export const anErrorCode = 'an error code'

const formats: Readonly<Record<string, string>> = {
  'date-time': 'timestamp',
  uuid: 'UUID',
  email: 'e-mail address',
}

/** Returns the schema without `null`, and whether `null` is allowed. */
export function nullable(
  document: OpenApiDocument,
  given: Schema,
): { schema: Schema; isNullable: boolean } {
  const schema = resolve(document, given)
  const branches = schema.anyOf ?? []
  const [only, ...others] = branches.filter(({ type }) => type !== 'null')
  if (only !== undefined && others.length === 0 && branches.length > 1) {
    const { anyOf: _, ...own } = schema
    return { schema: { ...nullable(document, only).schema, ...own }, isNullable: true }
  }
  if (!Array.isArray(schema.type)) return { schema, isNullable: false }
  const types = schema.type.filter((type) => type !== 'null')
  const isNullable = types.length < schema.type.length
  return {
    schema: { ...schema, type: types.length === 1 ? types[0] : types },
    isNullable,
  }
}

/** Returns a type in words: `text`, `UUID`, `array of text`, `integer or null`. */
export function typeOf(document: OpenApiDocument, given: Schema): string {
  const { schema, isNullable } = nullable(document, given)
  const type = plainType(document, schema)
  return isNullable ? `${type} or null` : type
}

function plainType(document: OpenApiDocument, schema: Schema): string {
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) {
    return [...new Set(choices.map((one) => typeOf(document, one)))].join(' or ')
  }
  if (schema.format !== undefined) return formats[schema.format] ?? schema.format
  if (schema.enum !== undefined || schema.const !== undefined) return 'text'
  if (schema.type === 'array') return `array of ${typeOf(document, schema.items ?? {})}`
  if (schema.type === undefined) return 'any JSON'
  return [schema.type]
    .flat()
    .map((type) => (type === 'string' ? 'text' : type))
    .join(' or ')
}

/** Returns the limits in words: `required`, values, sizes and the default. */
export function limitsOf(document: OpenApiDocument, given: Schema, isRequired: boolean): string {
  const { schema } = nullable(document, given)
  const items = schema.items === undefined ? {} : resolve(document, schema.items)
  return [
    ...(isRequired ? ['required'] : []),
    ...valuesOf(schema),
    ...range(schema.minLength, schema.maxLength, 'characters'),
    ...range(schema.minimum, schema.maximum, ''),
    ...range(schema.minItems, schema.maxItems, schema.maxItems === undefined ? 'item' : 'items'),
    ...valuesOf(items),
    ...(schema.default === undefined ? [] : [`default ${code(JSON.stringify(schema.default))}`]),
  ].join(', ')
}

function valuesOf({ enum: values, const: only }: Schema): string[] {
  const all = values ?? (only === undefined ? [] : [only])
  if (all.includes('INTERNAL_ERROR')) return [anErrorCode]
  return all.length === 0 ? [] : [all.map((value) => code(String(value))).join(' ')]
}

function range(least: number | undefined, most: number | undefined, unit: string): string[] {
  const end = unit === '' ? '' : ` ${unit}`
  const shown = (value: number) => value.toLocaleString('en')
  if (most === undefined) return least === undefined ? [] : [`at least ${shown(least)}${end}`]
  if (least === undefined) return [`up to ${shown(most)}${end}`]
  return [`${shown(least)} to ${shown(most)}${end}`]
}
