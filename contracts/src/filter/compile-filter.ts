import type { FieldCondition, Filter } from './filter.ts'
import { comparerOf } from './values/compare-values.ts'
import { operandKey, valueKeys } from './values/equality.ts'
import { fieldValue } from './values/field-value.ts'

export type RecordPredicate = (
  record: Readonly<Record<string, unknown>>,
  changedFields: readonly string[],
) => boolean

/** Compiles the filter to a predicate. The predicate accepts any JSON value and never throws. */
export function compileFilter(filter: Filter): RecordPredicate {
  switch (filter.kind) {
    case 'and': {
      const all = filter.of.map(compileFilter)
      return (record, changed) => all.every((test) => test(record, changed))
    }
    case 'or': {
      const any = filter.of.map(compileFilter)
      return (record, changed) => any.some((test) => test(record, changed))
    }
    case 'not': {
      const inner = compileFilter(filter.of)
      return (record, changed) => !inner(record, changed)
    }
    case 'changed': {
      const fields = new Set(filter.fields)
      return (_record, changed) => changed.some((field) => fields.has(field))
    }
    case 'field': {
      const test = compileTest(filter)
      const { path } = filter
      return (record) => test(fieldValue(record, path))
    }
  }
}

type ValueTest = (value: unknown) => boolean

function compileTest(condition: FieldCondition): ValueTest {
  const { op, operand, type } = condition
  switch (op) {
    case 'eq':
    case 'ne': {
      const compare = comparerOf(operand, type)
      return op === 'eq' ? (value) => compare(value) === 0 : (value) => compare(value) !== 0
    }
    case 'in':
    case 'nin': {
      const keys = new Set(operand.map((one) => operandKey(one, type)))
      const wanted = op === 'in'
      return (value) => valueKeys(value, type).some((key) => keys.has(key)) === wanted
    }
    case 'exists':
      return (value) => (value !== null && value !== undefined) === operand
    case 'contains':
      return containsTest(operand)
    case 'startsWith':
      return (value) => typeof value === 'string' && value.startsWith(operand)
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return orderTest(condition)
  }
}

/** `compare` returns NaN for values that do not compare. Every ordering test of NaN is false. */
function orderTest({
  op,
  operand,
  type,
}: Extract<FieldCondition, { op: 'gt' | 'gte' | 'lt' | 'lte' }>): ValueTest {
  const compare = comparerOf(operand, type)
  switch (op) {
    case 'gt':
      return (value) => compare(value) > 0
    case 'gte':
      return (value) => compare(value) >= 0
    case 'lt':
      return (value) => compare(value) < 0
    case 'lte':
      return (value) => compare(value) <= 0
  }
}

/** Tests for a substring of a text, or for an element of a list that equals the operand. */
function containsTest(operand: string | number | boolean): ValueTest {
  return (value) => {
    if (typeof value === 'string') return typeof operand === 'string' && value.includes(operand)
    return Array.isArray(value) && value.includes(operand)
  }
}
