export type Scalar = string | number | boolean | null

const scalarOperators = [
  'eq',
  'ne',
  'gt',
  'gte',
  'lt',
  'lte',
  'contains',
  'startsWith',
  'exists',
] as const
const listOperators = ['in', 'nin'] as const

type ScalarOperator = (typeof scalarOperators)[number]
type ListOperator = (typeof listOperators)[number]
export type Operator = ScalarOperator | ListOperator

/** One test of one column, or of a path into its JSON. */
export type Row = { readonly kind: 'row'; readonly field: string } & (
  | { readonly operator: ScalarOperator; readonly operand: Scalar }
  | { readonly operator: ListOperator; readonly operand: readonly Scalar[] }
)

/** True for an UPDATE that changed at least one of the columns. */
export type ChangedFields = { readonly kind: 'changed'; readonly fields: readonly string[] }

export const groupKinds = ['all', 'any', 'notAll', 'none'] as const
export type GroupKind = (typeof groupKinds)[number]
export type Group = { readonly kind: GroupKind; readonly of: readonly Member[] }

export type Member = Row | ChangedFields | Group

export const isList = (operator: string): operator is ListOperator =>
  (listOperators as readonly string[]).includes(operator)

export const isOperator = (name: string): name is Operator =>
  isList(name) || (scalarOperators as readonly string[]).includes(name)

export const isGroup = (member: Member): member is Group => 'of' in member

/** The filter language gives these names another meaning. No column of a known table has them. */
export const isReserved = (field: string): boolean =>
  field === 'and' || field === 'or' || field === 'not' || field === 'changed'

/** More groups inside one another than this are easier to read as JSON. */
export const mostLevels = 4

export const emptyRow: Row = { kind: 'row', field: '', operator: 'eq', operand: '' }
