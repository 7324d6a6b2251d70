/** Field types of a table that is known. */
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

/** One test of one field. Operands are in the normal form of `parseOperand`. */
export type FieldTest =
  | { readonly op: 'eq' | 'ne'; readonly operand: Scalar }
  | { readonly op: 'gt' | 'gte' | 'lt' | 'lte'; readonly operand: string | number }
  | { readonly op: 'in' | 'nin'; readonly operand: readonly Scalar[] }
  | { readonly op: 'exists'; readonly operand: boolean }
  | { readonly op: 'contains'; readonly operand: string | number | boolean }
  | { readonly op: 'startsWith'; readonly operand: string }

export type Operator = FieldTest['op']

/** `type` is `null` when the table is unknown: values then compare by their JSON type. */
export type FieldCondition = FieldTest & {
  readonly kind: 'field'
  /** Name of the field, then the path inside its JSON. */
  readonly path: readonly [string, ...string[]]
  readonly type: FieldType | null
}

/**
 * A parsed filter. It is true or false for a record, never unknown. docs/concepts/filters.md
 * defines its meaning.
 */
export type Filter =
  | FieldCondition
  | { readonly kind: 'and' | 'or'; readonly of: readonly Filter[] }
  | { readonly kind: 'not'; readonly of: Filter }
  /** True for an UPDATE that changed at least one of these fields. */
  | { readonly kind: 'changed'; readonly fields: readonly string[] }

/**
 * Limits on the cost of a filter: CPU for every change of its table, and memory while it exists.
 * `operands` counts the operands of all tests together, with each element of a list and each field
 * of `changed`. `bytes` is the UTF-8 size of its JSON without spaces.
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
