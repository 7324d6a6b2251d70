import type { RuledViolation } from '@surehook/contracts/problem'
import { invalid } from '@surehook/service-kit/errors'
import type { Column } from '../../table-definition.ts'
import { valueTypes } from '../../values/value-types.ts'
import type { ShownTable } from './record-filter.ts'

export type OrderTerm = {
  field: string
  descending: boolean
  /** SQL for the compared value; the table is `t`. */
  expression: string
  cast: string
}

/** Text is ordered by this many characters: a cursor contains them and has to fit into a URL. */
const comparedCharacters = 200

/**
 * Parses an order such as `name,-createdAt`. Appends `id`, so that no two records are equal. Empty
 * fields come last, or first in a descending order.
 */
export function parseOrder(table: ShownTable, text: string | undefined): OrderTerm[] {
  const fields = text === undefined || text === '' ? [] : text.split(',')
  const terms = fields.map((entry) => termOf(table, entry))
  const faults = terms.flatMap((term, index) => {
    if ('message' in term) return [term]
    const repeated = terms
      .slice(0, index)
      .some((other) => 'cast' in other && other.field === term.field)
    return repeated ? [fault(`"${term.field}" stands in it twice`, 'repeated')] : []
  })
  if (faults.length > 0) {
    throw invalid(faults.slice(0, 20))
  }
  const order = terms.filter((term) => 'cast' in term)
  return order.some(({ field }) => field === 'id') ? order : [...order, idTerm]
}

const fault = (message: string, rule: RuledViolation['rule']): RuledViolation => ({
  field: 'order',
  message,
  rule,
})

const idTerm: OrderTerm = { field: 'id', descending: false, expression: 't."id"', cast: 'uuid' }

function termOf({ table, shown }: ShownTable, entry: string): OrderTerm | RuledViolation {
  const descending = entry.startsWith('-')
  const field = descending ? entry.slice(1) : entry
  const cast = castOf(table.columns, field)
  const column = shown.get(field)
  if (cast === null || column === undefined)
    return fault(`"${field.slice(0, 63)}" is not a field to order by`, 'unknown_field')
  const expression = cast === 'text' ? `left(${column}, ${comparedCharacters})` : column
  return { field, descending, expression, cast }
}

function castOf(columns: readonly Column[], field: string): string | null {
  if (field === 'id') return 'uuid'
  if (field === 'createdAt' || field === 'updatedAt') return 'timestamptz(3)'
  const column = columns.find(({ name }) => name === field)
  if (column === undefined || !valueTypes[column.type].sortable) return null
  return valueTypes[column.type].cast
}

export const orderBySql = (order: readonly OrderTerm[]): string =>
  order.map(({ expression, descending }) => `${expression}${descending ? ' desc' : ''}`).join(', ')

/** SQL for a record's position in the order: one text per term. */
export const positionSql = (order: readonly OrderTerm[]): string =>
  `array[${order.map(({ expression }) => `${expression}::text`).join(', ')}]`

export type Position = readonly (string | null)[]

/** Returns the SQL for "comes after `position`", and appends its parameters to `values`. */
export function afterSql(
  order: readonly OrderTerm[],
  position: Position,
  values: unknown[],
): string {
  return order.reduceRight((rest, { expression, descending, cast }, index) => {
    const value = position[index] ?? null
    if (value === null) {
      const beyond = descending ? `${expression} is not null` : 'false'
      return `(${beyond} or (${expression} is null and ${rest}))`
    }
    values.push(value)
    const parameter = `$${values.length}::${cast}`
    const beyond = descending
      ? `${expression} < ${parameter}`
      : `${expression} > ${parameter} or ${expression} is null`
    return `(${beyond} or (${expression} = ${parameter} and ${rest}))`
  }, 'false')
}
