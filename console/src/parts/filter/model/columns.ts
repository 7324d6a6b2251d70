import type { Table } from '@surehook/client'
import type { Operator } from './model.ts'

export type ColumnType = Table['columns'][number]['type']
export type Column = { readonly name: string; readonly type: ColumnType }

/** The columns of a table that the data API has. */
export const columnsOf = ({ columns }: Pick<Table, 'columns'>): readonly Column[] => [
  { name: 'id', type: 'uuid' },
  ...columns.map(({ name, type }) => ({ name, type })),
  { name: 'createdAt', type: 'timestamp' },
  { name: 'updatedAt', type: 'timestamp' },
]

/** A field is a column, or a path into the JSON of a column: `address.city`. */
export function splitField(field: string): { column: string; path: string } {
  const end = field.indexOf('.')
  if (end === -1) return { column: field, path: '' }
  return { column: field.slice(0, end), path: field.slice(end + 1) }
}

export const fieldOf = (column: string, path: string): string =>
  path === '' ? column : `${column}.${path}`

/** Null if nobody knows: then every operator and every kind of value may fit. */
export function typeOf(field: string, columns: readonly Column[] | null): ColumnType | null {
  const { column } = splitField(field)
  return columns?.find(({ name }) => name === column)?.type ?? null
}

const equality: readonly Operator[] = ['eq', 'ne']
const order: readonly Operator[] = ['gt', 'gte', 'lt', 'lte']
const parts: readonly Operator[] = ['contains', 'startsWith']
const rest: readonly Operator[] = ['in', 'nin', 'exists']

export function operatorsOf(type: ColumnType | null): readonly Operator[] {
  switch (type) {
    case 'boolean':
      return [...equality, ...rest]
    case null:
    case 'json':
    case 'text':
      return [...equality, ...parts, ...order, ...rest]
    case 'integer':
    case 'bigint':
    case 'double':
    case 'decimal':
    case 'timestamp':
    case 'date':
    case 'uuid':
      return [...equality, ...order, ...rest]
  }
}

const labels: Record<Operator, string> = {
  eq: 'is',
  ne: 'is not',
  gt: 'is greater than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  contains: 'contains',
  startsWith: 'starts with',
  exists: 'has a value',
  in: 'is one of',
  nin: 'is none of',
}

const labelsOfTimes: Partial<Record<Operator, string>> = {
  gt: 'is after',
  gte: 'is at or after',
  lt: 'is before',
  lte: 'is at or before',
}

export function operatorLabel(operator: Operator, type: ColumnType | null): string {
  const isTime = type === 'timestamp' || type === 'date'
  return (isTime ? labelsOfTimes[operator] : undefined) ?? labels[operator]
}
