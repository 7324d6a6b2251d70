/** The parts of an OpenAPI 3.1 document that the reference reads. */
export type Schema = {
  $ref?: string
  type?: string | readonly string[]
  format?: string
  enum?: readonly unknown[]
  const?: unknown
  default?: unknown
  description?: string
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  allOf?: readonly Schema[]
  items?: Schema
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
}

export type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  example?: string | number
  schema: Schema
}

type Content = Readonly<Record<string, { schema?: Schema; example?: unknown }>>

export type Answer = { description: string; content?: Content }

export type OperationObject = {
  operationId: string
  summary: string
  description: string
  tags: readonly string[]
  security: readonly Readonly<Record<string, unknown>>[]
  'x-management-right'?: string
  parameters?: readonly Parameter[]
  requestBody?: { content: Content }
  responses: Readonly<Record<string, Answer>>
}

export type OpenApiDocument = {
  info: { title: string; description: string }
  servers: readonly { url: string }[]
  tags: readonly { name: string; description: string }[]
  paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>
  webhooks?: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>
  components: {
    schemas: Readonly<Record<string, Schema>>
    securitySchemes: Readonly<Record<string, { description: string }>>
  }
}

/** Returns the name of the component that a schema refers to, also through `null` and arrays. */
export function componentOf({ $ref, anyOf, items }: Schema): string | null {
  if ($ref !== undefined) return $ref.split('/').at(-1) ?? null
  const [only, ...others] = (anyOf ?? []).filter(({ type }) => type !== 'null')
  if (only !== undefined && others.length === 0) return componentOf(only)
  return items === undefined ? null : componentOf(items)
}

/** Resolves a schema's reference. The schema's own keywords take precedence. */
export function resolve({ components }: OpenApiDocument, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema
  const { $ref, ...own } = schema
  const found = components.schemas[$ref.split('/').at(-1) ?? '']
  if (found === undefined) throw new Error(`nothing is at ${$ref}`)
  return { ...found, ...own }
}
