import { type FieldType, filterLimits, type Operator, type Scalar } from './filter.ts'
import { decimalOf, parseDecimal, printDecimal } from './values/decimal.ts'
import { isDate, parseInstant } from './values/instant.ts'

/** The operand in its normal form, or the reason why it is not valid. */
export type Operand = { value: NonNullable<Scalar> } | { fault: string }

type OperandReader = (value: unknown) => Operand

const accept = (value: NonNullable<Scalar>): Operand => ({ value })
const refuse = (fault: string): Operand => ({ fault })

const readText: OperandReader = (value) => {
  if (typeof value !== 'string') return refuse('must be a string')
  if (value.length > filterLimits.textLength) {
    return refuse(`must have at most ${filterLimits.textLength} characters`)
  }
  return value.isWellFormed() && !value.includes('\0')
    ? accept(value)
    : refuse('must be valid text without NUL')
}

const readNumber: OperandReader = (value) =>
  typeof value === 'number' && Number.isFinite(value)
    ? accept(value === 0 ? 0 : value)
    : refuse('must be a number')

const readInteger: OperandReader = (value) =>
  Number.isInteger(value) && (value as number) >= -(2 ** 31) && (value as number) < 2 ** 31
    ? accept((value as number) === 0 ? 0 : (value as number))
    : refuse('must be a whole number of 32 bits')

const bigintFault = 'must be a whole number of 64 bits, as a string when above 2^53'
const readBigint: OperandReader = (value) => {
  const text = Number.isSafeInteger(value) ? String(value) : value
  if (typeof text !== 'string' || !/^-?\d{1,19}$/.test(text)) return refuse(bigintFault)
  const whole = BigInt(text)
  return BigInt.asIntN(64, whole) === whole ? accept(String(whole)) : refuse(bigintFault)
}

const readDecimal: OperandReader = (value) => {
  if (typeof value === 'number' && Number.isFinite(value)) {
    return accept(printDecimal(decimalOf(value)))
  }
  const decimal = typeof value === 'string' ? parseDecimal(value) : null
  return decimal === null
    ? refuse('must be a decimal number, as a number or a string')
    : accept(printDecimal(decimal))
}

const readBoolean: OperandReader = (value) =>
  typeof value === 'boolean' ? accept(value) : refuse('must be true or false')

const readTimestamp: OperandReader = (value) => {
  const instant = typeof value === 'string' ? parseInstant(value) : null
  return instant === null
    ? refuse('must be an ISO 8601 time with its offset or Z, or a date')
    : accept(instant)
}

const readDate: OperandReader = (value) =>
  typeof value === 'string' && isDate(value) ? accept(value) : refuse('must be a date, YYYY-MM-DD')

const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const readUuid: OperandReader = (value) =>
  typeof value === 'string' && uuidForm.test(value)
    ? accept(value.toLowerCase())
    : refuse('must be a UUID')

/** Reads operands of JSON fields and of unknown tables by their JSON type. */
const readScalar: OperandReader = (value) => {
  if (typeof value === 'string') return readText(value)
  if (typeof value === 'boolean') return accept(value)
  if (isRounded(value)) return refuse('must be a string: JSON numbers are exact up to 2^53 only')
  return typeof value === 'number'
    ? readNumber(value)
    : refuse('must be a string, a number, true, false or null')
}

/** JSON parsing may have rounded the number from another 64-bit integer. */
const isRounded = (value: unknown): boolean =>
  Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value as number) <= 2 ** 64

const readOrdered: OperandReader = (value) =>
  typeof value === 'string' || typeof value === 'number'
    ? readScalar(value)
    : refuse('must be a string or a number')

const readElement: OperandReader = (value) =>
  value === null ? refuse('must be a string, a number, true or false') : readScalar(value)

const readByType: Record<FieldType, OperandReader> = {
  text: readText,
  integer: readInteger,
  bigint: readBigint,
  double: readNumber,
  decimal: readDecimal,
  boolean: readBoolean,
  timestamp: readTimestamp,
  date: readDate,
  uuid: readUuid,
  json: readScalar,
}

/**
 * Returns the reader for the operand of `op` on a field of `type`, or `null` if `op` does not apply
 * to the type.
 */
export function operandReader(op: Operator, type: FieldType | null): OperandReader | null {
  const isJson = type === null || type === 'json'
  switch (op) {
    case 'eq':
    case 'ne':
    case 'in':
    case 'nin':
      return type === null ? readScalar : readByType[type]
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      if (isJson) return readOrdered
      return type === 'boolean' ? null : readByType[type]
    case 'exists':
      return readBoolean
    case 'contains':
      if (isJson) return readElement
      return type === 'text' ? readText : null
    case 'startsWith':
      return isJson || type === 'text' ? readText : null
  }
}
