import { filterLimits, type Operator } from './filter.ts'
import { isOperator } from './parse-filter.ts'

export type FilterJson = Readonly<Record<string, unknown>>

/** The place of an operand in a filter. An element of a list has the list's operator. */
export type OperandPlace = {
  /** The field as written, with the path inside its JSON. */
  field: string
  op: Operator
  /** The path inside the filter, with the index of a list's element. */
  path: string
  inList: boolean
}

type Change = (operand: unknown, place: OperandPlace) => unknown

const isObject = (value: unknown): value is FilterJson =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const at = (path: string, key: string | number) => (path === '' ? String(key) : `${path}.${key}`)

/**
 * Returns the filter with each operand changed. Elements of a list change one by one. Keeps the
 * parts that are no valid filter, which only `parseFilter` refuses.
 */
export function mapOperands(filter: FilterJson, change: Change): FilterJson {
  return mapEntries(filter, change, { path: '', depth: 1 })
}

type Position = { path: string; depth: number }

function mapEntries(filter: FilterJson, change: Change, { path, depth }: Position): FilterJson {
  if (depth > filterLimits.depth) return filter
  return Object.fromEntries(
    Object.entries(filter).map(([key, value]) => [
      key,
      mapEntry(key, value, change, { path: at(path, key), depth: depth + 1 }),
    ]),
  )
}

function mapEntry(key: string, value: unknown, change: Change, position: Position): unknown {
  const within = (part: unknown, inside: Position) =>
    isObject(part) ? mapEntries(part, change, inside) : part
  const { path, depth } = position
  switch (key) {
    case 'changed':
      return value
    case 'not':
      return within(value, position)
    case 'and':
    case 'or':
      if (!Array.isArray(value)) return value
      return value.map((part, index) => within(part, { path: at(path, index), depth }))
    default:
      return mapTests(key, value, change, path)
  }
}

function mapTests(field: string, value: unknown, change: Change, path: string): unknown {
  if (!isObject(value)) return mapOperand(value, change, { field, op: 'eq', path })
  const tests = Object.entries(value).map(([op, operand]): [string, unknown] => {
    if (!isOperator(op)) return [op, operand]
    return [op, mapOperand(operand, change, { field, op, path: at(path, op) })]
  })
  return Object.fromEntries(tests)
}

type TestPlace = Omit<OperandPlace, 'inList'>

function mapOperand(operand: unknown, change: Change, place: TestPlace): unknown {
  if (!Array.isArray(operand)) return change(operand, { ...place, inList: false })
  return operand.map((one, index) =>
    change(one, { ...place, path: at(place.path, index), inList: true }),
  )
}
