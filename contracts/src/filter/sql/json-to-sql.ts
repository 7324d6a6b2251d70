import type { FieldCondition, Scalar } from '../filter.ts'
import { maxDecimalLength } from '../values/decimal.ts'
import type { SqlParams } from './sql-params.ts'

const decimalForm = String.raw`'^-?(0|[1-9][0-9]*)(\.[0-9]+)?$'`
const orderSigns = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

/**
 * SQL test of a jsonb column or of a value inside it. It gives the same result as the predicate.
 */
export function jsonTestSql(test: FieldCondition, column: string, params: SqlParams): string {
  const [, ...inside] = test.path
  const place = inside.length === 0 ? column : `(${column} #> ${params.add(inside, 'text[]')})`
  // A filter treats JSON null and a missing value as the same.
  const value = `nullif(${place}, 'null'::jsonb)`
  switch (test.op) {
    case 'eq':
      return equalSql(test.operand, value, params)
    case 'ne':
      return `(${equalSql(test.operand, value, params)}) is not true`
    case 'in':
      return anySql(test.operand, value, params)
    case 'nin':
      return `(${anySql(test.operand, value, params)}) is not true`
    case 'exists':
      return `${value} is ${test.operand ? 'not null' : 'null'}`
    case 'contains':
      return containsSql(test.operand, value, params)
    case 'startsWith':
      return `starts_with(${textOf(value)}, ${params.add(test.operand, 'text')})`
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte': {
      const sign = orderSigns[test.op]
      return typeof test.operand === 'number'
        ? `${numberOf(value)} ${sign} ${params.add(test.operand, 'numeric')}`
        : `${textOf(value)} collate "C" ${sign} ${params.add(test.operand, 'text')}`
    }
  }
}

/** SQL of the value if it is a string, else null. */
const textOf = (value: string): string =>
  `(case when jsonb_typeof(${value}) = 'string' then ${value} #>> '{}' end)`

/** SQL of the value as a number if it is a number or a decimal string, else null. */
function numberOf(value: string): string {
  const text = `(${value} #>> '{}')`
  const isDecimal = `length(${text}) <= ${maxDecimalLength} and ${text} ~ ${decimalForm}`
  return (
    `(case jsonb_typeof(${value}) when 'number' then ${text}::numeric ` +
    `when 'string' then case when ${isDecimal} then ${text}::numeric end end)`
  )
}

function equalSql(operand: Scalar, value: string, params: SqlParams): string {
  if (operand === null) return `${value} is null`
  if (typeof operand === 'number') return `${numberOf(value)} = ${params.add(operand, 'numeric')}`
  const type = typeof operand === 'string' ? 'text' : 'boolean'
  return `${value} = to_jsonb(${params.add(operand, type)})`
}

function anySql(operands: readonly Scalar[], value: string, params: SqlParams): string {
  const strings = operands.filter((operand) => typeof operand === 'string')
  const numbers = operands.filter((operand) => typeof operand === 'number')
  const others = operands.filter((operand) => operand === null || typeof operand === 'boolean')
  const tests = [...new Set(others)].map((operand) => equalSql(operand, value, params))
  if (strings.length > 0) tests.push(`${textOf(value)} = any(${params.add(strings, 'text[]')})`)
  if (numbers.length > 0)
    tests.push(`${numberOf(value)} = any(${params.add(numbers, 'numeric[]')})`)
  return tests.join(' or ')
}

function containsSql(operand: string | number | boolean, value: string, params: SqlParams): string {
  const types = { string: 'text', number: 'numeric', boolean: 'boolean' } as const
  const part = params.add(operand, types[typeof operand as keyof typeof types])
  const inText =
    typeof operand === 'string' ? ` when 'string' then strpos(${value} #>> '{}', ${part}) > 0` : ''
  return `(case jsonb_typeof(${value}) when 'array' then ${value} @> to_jsonb(${part})${inText} end)`
}
