import type { FuzzTarget } from './fuzz-target.ts'

type Schema = { properties?: Record<string, unknown> }
export type OpenApiDocument = {
  paths: Record<string, unknown>
  components: { schemas: Record<string, Schema> }
}

/**
 * Adds the tenant's names and columns to the document. With invented ones, the path and body checks
 * would refuse every request. Leaves out the stream, whose answer has no end.
 */
export function tailored(document: OpenApiDocument, target: FuzzTarget): OpenApiDocument {
  const { schemas } = document.components
  const record = { type: 'object', properties: columns, additionalProperties: false }
  const records: Record<string, object> = {
    RecordInput: record,
    RecordsInput: { oneOf: [record, { type: 'array', minItems: 1, maxItems: 20, items: record }] },
  }
  const subscription = {
    projectId: { type: 'string', const: target.projectId },
    environment: { type: 'string', const: target.environment },
    url: { type: 'string', enum: receivers },
  }
  const tailoredSchemas = Object.entries(schemas).map(([name, schema]) => [
    name,
    records[name] ?? (inputs.has(name) ? withProperties(schema, subscription) : schema),
  ])
  const components = { ...document.components, schemas: Object.fromEntries(tailoredSchemas) }
  const { '/api/rest/_stream': _endless, ...paths } = document.paths
  return { ...document, paths, components }
}

const inputs = new Set(['SubscriptionInput', 'SubscriptionChange'])
const receivers = ['https://receiver.invalid/', 'https://receiver.invalid/hooks?a=%20']

const withProperties = (schema: Schema, properties: object): Schema => ({
  ...schema,
  ...(schema.properties && { properties: { ...schema.properties, ...properties } }),
})

const text = (more: object = {}) => ({ type: ['string', 'null'], ...more })

/** The columns that `typesOfColumns` makes. */
const columns = {
  a: text(),
  b: { type: ['integer', 'null'], minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
  c: text({ pattern: '^-?[0-9]{1,18}$' }),
  d: { type: ['number', 'null'] },
  e: text({ pattern: '^-?[0-9]{1,30}(\\.[0-9]{1,10})?$' }),
  f: { type: ['boolean', 'null'] },
  g: text({ format: 'date-time' }),
  h: text({ format: 'date' }),
  i: text({ format: 'uuid' }),
  j: {},
}
