import type { Table } from '@surehook/client'
import type { Operator } from './model.ts'

export type ColumnType = Table['columns'][number]['type']
export type Column = { readonly name: string; readonly type: ColumnType }

/** The fields of a table. One of a source has the columns of its relation and no others. */
export function columnsOf({
  columns,
  source,
}: {
  columns: readonly Column[]
  source?: Table['source']
}): readonly Column[] {
  const own = columns.map(({ name, type }): Column => ({ name, type }))
  if (source) return own
  return [
    { name: 'id', type: 'uuid' },
    ...own,
    { name: 'createdAt', type: 'timestamp' },
    { name: 'updatedAt', type: 'timestamp' },
  ]
}

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

/** The tests of a condition. The form shows null as a test, and not as a value to compare with. */
export type Test = Operator | 'isNull' | 'isNotNull'

const equality: readonly Test[] = ['eq', 'ne']
const order: readonly Test[] = ['gt', 'gte', 'lt', 'lte']
const parts: readonly Test[] = ['contains', 'startsWith']
const rest: readonly Test[] = ['in', 'nin', 'isNull', 'isNotNull', 'exists']

export function testsOf(type: ColumnType | null): readonly Test[] {
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

const labels: Record<Test, string> = {
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
  isNull: 'is null',
  isNotNull: 'is not null',
}

const labelsOfTimes: Partial<Record<Test, string>> = {
  gt: 'is after',
  gte: 'is at or after',
  lt: 'is before',
  lte: 'is at or before',
}

export function testLabel(test: Test, type: ColumnType | null): string {
  const isTime = type === 'timestamp' || type === 'date'
  return (isTime ? labelsOfTimes[test] : undefined) ?? labels[test]
}
