import fc from 'fast-check'
import type { FieldType } from '../src/filter/filter.ts'

/** One field of each type. */
export const allFields: ReadonlyMap<string, FieldType> = new Map<string, FieldType>([
  ['words', 'text'],
  ['small', 'integer'],
  ['big', 'bigint'],
  ['real', 'double'],
  ['price', 'decimal'],
  ['flag', 'boolean'],
  ['moment', 'timestamp'],
  ['day', 'date'],
  ['ref', 'uuid'],
  ['doc', 'json'],
])

// Few values that are close to each other: filters then match often and tests reach the boundaries.
const texts = [
  '',
  'a',
  'A',
  'ab',
  'b',
  'é',
  '\uFF5E',
  '😀',
  '10',
  '10.0',
  '9',
  '007',
  '-0',
  'true',
  'null',
  '%',
  '\\',
]
export const text = fc.oneof(
  fc.constantFrom(...texts),
  fc
    .string({ unit: 'binary', maxLength: 5 })
    .filter((value) => value.isWellFormed() && !value.includes('\0')),
)
const integer = fc.oneof(fc.constantFrom(0, 1, -1, 9, 10, 2 ** 31 - 1, -(2 ** 31)), fc.integer())
const bigints = [
  '0',
  '1',
  '9',
  '10',
  '9007199254740993',
  '9007199254740992',
  '-9223372036854775808',
]
const bigint = fc.oneof(
  fc.constantFrom(...bigints),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
)
const double = fc.oneof(
  fc.constantFrom(0, 1, 9, 10, 0.1, 0.30000000000000004, 1e21, 5e-324, -1e300),
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .map((value) => (value === 0 ? 0 : value))
    // The parser refuses these numbers: they could be rounded 64-bit integers.
    .filter(
      (value) =>
        !Number.isInteger(value) || !(Math.abs(value) >= 2 ** 53 && Math.abs(value) <= 2 ** 64),
    ),
)
const decimal = fc.oneof(
  fc.constantFrom(
    '0',
    '0.0',
    '1',
    '1.0',
    '1.00',
    '9',
    '10',
    '10.5',
    '-10.50',
    '0.1',
    '123456789012345678901.5',
  ),
  fc
    .tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.nat(99))
    .map(([whole, part]) => `${whole}.${part}`),
)
const timestamp = fc.oneof(
  fc.constantFrom(
    '2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00.000001Z',
    '2026-01-01T01:00:00.000+01:00',
    '2025-12-31T23:59:59.999999Z',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999Z',
  ),
  fc
    .date({
      min: new Date('1900-01-01T00:00:00Z'),
      max: new Date('2200-01-01T00:00:00Z'),
      noInvalidDate: true,
    })
    .map((date) => date.toISOString()),
)
const date = fc.oneof(
  fc.constantFrom('2026-01-01', '2026-01-02', '0001-01-01', '9999-12-31', '2024-02-29'),
  timestamp.map((at) => at.slice(0, 10)),
)
const uuid = fc.oneof(
  fc.constantFrom('00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-00000000000A'),
  fc.uuid(),
)
const jsonNumber = fc.oneof(double, integer)
const alike = fc.constantFrom<unknown>('10', 10, '10.0', '9', 9, '1', 1, true, 'true', '0', 0)
const jsonScalar = fc.oneof(alike, text, jsonNumber, fc.boolean())

const names = ['a', '0', '-1', '01', '__proto__', 'length']
const name = fc.constantFrom(...names)
const json: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    // Leaves depth for the operators that the tests add: a filter has at most ten levels.
    { depthSize: 'small', maxDepth: 6, withCrossShrink: true },
    jsonScalar,
    fc.constant(null),
    fc.array(tie('value'), { minLength: 1, maxLength: 3 }),
    // Objects as JSON.parse makes them, where `__proto__` is an ordinary key.
    fc
      .array(fc.tuple(name, tie('value')), { maxLength: 3 })
      .map((entries) => Object.fromEntries(entries)),
  ),
})).value

const valueByType: Record<FieldType, fc.Arbitrary<unknown>> = {
  text,
  integer,
  bigint,
  double,
  decimal,
  boolean: fc.boolean(),
  timestamp,
  date,
  uuid,
  json,
}

/** A row with one value or null for each of `allFields`. */
export const row: fc.Arbitrary<Record<string, unknown>> = fc
  .tuple(...[...allFields.values()].map((type) => fc.option(valueByType[type], { freq: 4 })))
  .map((values) => Object.fromEntries([...allFields.keys()].map((key, at) => [key, values[at]])))

const orderings = ['gt', 'gte', 'lt', 'lte']

function testOf(type: FieldType, operand: fc.Arbitrary<unknown>): fc.Arbitrary<[string, unknown]> {
  const nullable = fc.option(operand, { freq: 5 })
  const equal = fc.tuple(fc.constantFrom('eq', 'ne'), nullable)
  const listed = fc.tuple(fc.constantFrom('in', 'nin'), fc.array(nullable, { maxLength: 3 }))
  const exists = fc.tuple(fc.constant('exists'), fc.boolean())
  const ordered = fc.tuple(
    fc.constantFrom(...orderings),
    type === 'json' ? fc.oneof(text, jsonNumber) : operand,
  )
  const part = fc.tuple(fc.constantFrom('contains', 'startsWith'), text)
  const element = fc.tuple(fc.constant('contains'), jsonScalar)
  switch (type) {
    case 'boolean':
      return fc.oneof(equal, listed, exists)
    case 'text':
      return fc.oneof(equal, listed, exists, ordered, part)
    case 'json':
      return fc.oneof(equal, listed, exists, ordered, part, element)
    default:
      return fc.oneof(equal, listed, exists, ordered)
  }
}

function conditionOf(field: string, type: FieldType): fc.Arbitrary<unknown> {
  const operand = type === 'json' ? jsonScalar : valueByType[type]
  const path = type === 'json' ? fc.array(name, { maxLength: 2 }) : fc.constant([])
  return fc
    .tuple(path, testOf(type, operand))
    .map(([inside, [op, value]]) => ({ [[field, ...inside].join('.')]: { [op]: value } }))
}

// JSON conditions get more weight because they have the most cases.
const condition = fc.oneof(
  ...[...allFields].map(([field, type]) => ({
    arbitrary: conditionOf(field, type),
    weight: type === 'json' ? 5 : 1,
  })),
)

/** JSON form of a filter that is valid for `allFields`. */
export const filterJson: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  filter: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    condition,
    fc.array(tie('filter'), { minLength: 1, maxLength: 3 }).map((of) => ({ and: of })),
    fc.array(tie('filter'), { minLength: 1, maxLength: 3 }).map((of) => ({ or: of })),
    tie('filter').map((of) => ({ not: of })),
    fc.constant({}),
    fc.constant({ changed: ['words'] }),
  ),
})).filter

/** A field, operands for `in` and a value that may be one of them, of any type. */
export const lists = fc.oneof(
  ...[...allFields].map(([field, type]) =>
    fc.record({
      field: fc.constant(field),
      operands: fc.array(fc.option(type === 'json' ? jsonScalar : valueByType[type], { freq: 5 }), {
        maxLength: 12,
      }),
      value: fc.oneof(valueByType[type], alike, json, fc.constant(undefined)),
      // In an unknown table, operands of every type compare by their JSON type.
      isKnown: fc.boolean(),
    }),
  ),
)
