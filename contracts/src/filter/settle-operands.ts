import type { RuledViolation } from '../problem.ts'
import type { FieldType, Operator, Scalar } from './filter.ts'
import { type FilterJson, mapOperands, type OperandPlace } from './map-operands.ts'
import { parseFilter } from './parse-filter.ts'
import { operandReader } from './parse-operand.ts'
import { decimalOf, printDecimal } from './values/decimal.ts'

type Fields = ReadonlyMap<string, FieldType>

export type SettledFilter =
  | { readonly ok: true; readonly filter: FilterJson }
  | { readonly ok: false; readonly violations: RuledViolation[] }

/**
 * Rewrites each operand into the form that records of the table use. The result matches the same
 * records when it is evaluated without the field types. The filter must have been parsed with
 * `fields`.
 */
export function settleOperands(filter: FilterJson, fields: Fields): SettledFilter {
  const violations: RuledViolation[] = []
  const settled = mapOperands(filter, (operand, place) => {
    const form = formOf(fields.get(place.field))
    if (form === null || place.op === 'exists') return operand
    return settleOne(operand, place, { form, violations })
  })
  if (violations.length > 0) return { ok: false, violations }
  // Checks the limits again: rewritten operands may be longer.
  const parsed = parseFilter(settled)
  return parsed.ok ? { ok: true, filter: settled } : parsed
}

function settleOne(
  operand: unknown,
  { op, path }: OperandPlace,
  { form, violations }: { form: Form; violations: RuledViolation[] },
) {
  if (operand === null) return null
  const read = operandReader(op, form.type)?.(operand)
  const settled = read && 'value' in read ? form.settle(String(read.value), op) : undefined
  if (settled !== undefined) return settled
  const message = 'has more digits than are compared exactly: at most 15'
  violations.push({ field: path, message, rule: 'invalid_filter' })
  return null
}

type Form = { type: FieldType; settle: (normal: string, op: Operator) => Scalar | undefined }

/** Returns `null` for types whose records use the same form as operands. */
function formOf(type: FieldType | undefined): Form | null {
  switch (type) {
    case 'bigint':
      return { type, settle: (normal, op) => numberOf(normal) ?? sameWhole(normal, op) }
    case 'decimal':
      return { type, settle: numberOf }
    case 'timestamp':
      return { type, settle: instantFor }
    case 'uuid':
      return { type, settle: (normal) => normal }
    default:
      return null
  }
}

/**
 * Records hold these numbers as strings. A string compares as a number only with a numeric operand.
 */
function numberOf(normal: string): number | undefined {
  const number = Number(normal)
  const isExact = Number.isFinite(number) && printDecimal(decimalOf(number)) === normal
  const isTaken = 'value' in (operandReader('eq', null)?.(number) ?? {})
  return isExact && isTaken ? number : undefined
}

const equalities: ReadonlySet<Operator> = new Set(['eq', 'ne', 'in', 'nin'])

/** An integer has exactly one spelling, so equal numbers are equal texts. */
const sameWhole = (normal: string, op: Operator): string | undefined =>
  equalities.has(op) ? normal : undefined

/**
 * Records have milliseconds. A finer bound is rounded to the millisecond that separates the same
 * values.
 */
function instantFor(normal: string, op: Operator): string {
  const isFiner = normal.slice(-4, -1) !== '000'
  // Kept unchanged: no record can equal it.
  if (isFiner && equalities.has(op)) return normal
  const ms = Date.parse(`${normal.slice(0, -4)}Z`)
  const isNext = isFiner && (op === 'gte' || op === 'lt')
  return isNext ? new Date(Math.min(ms + 1, lastMs)).toISOString() : new Date(ms).toISOString()
}

const lastMs = Date.parse('9999-12-31T23:59:59.999Z')
