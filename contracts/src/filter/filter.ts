/** Types of the fields of a table that is known. */
export const fieldTypes = [
  'text',
  'integer',
  'bigint',
  'double',
  'decimal',
  'boolean',
  'timestamp',
  'date',
  'uuid',
  'json',
] as const
export type FieldType = (typeof fieldTypes)[number]

export type Scalar = string | number | boolean | null

/** One test of one field. Operands are in their normal form: see `parseOperand`. */
export type FieldTest =
  | { readonly op: 'eq' | 'ne'; readonly operand: Scalar }
  | { readonly op: 'gt' | 'gte' | 'lt' | 'lte'; readonly operand: string | number }
  | { readonly op: 'in' | 'nin'; readonly operand: readonly Scalar[] }
  | { readonly op: 'exists'; readonly operand: boolean }
  | { readonly op: 'contains'; readonly operand: string | number | boolean }
  | { readonly op: 'startsWith'; readonly operand: string }

export type Operator = FieldTest['op']

/** `type` is `null` when the table is not known: values are then compared as what they are in JSON. */
export type FieldCondition = FieldTest & {
  readonly kind: 'field'
  /** The field, then the way into its JSON. */
  readonly path: readonly [string, ...string[]]
  readonly type: FieldType | null
}

/** A parsed filter: what is true of a record or not, never unknown. Its meaning is in docs/concepts/filters.md. */
export type Filter =
  | FieldCondition
  | { readonly kind: 'and' | 'or'; readonly of: readonly Filter[] }
  | { readonly kind: 'not'; readonly of: Filter }
  /** An UPDATE changed at least one of these. */
  | { readonly kind: 'changed'; readonly fields: readonly string[] }

/**
 * What a filter may cost, in time for every change of its table and in memory for as long as it
 * exists. `operands` are those of all tests together, each element of a list and each field of
 * `changed` counted; `bytes` is the size of its JSON without spaces, in UTF-8.
 */
export const filterLimits = {
  bytes: 16_384,
  depth: 10,
  conditions: 100,
  operands: 1_000,
  listLength: 500,
  textLength: 1024,
  pathSegments: 20,
} as const
