import { isRounded, roundedFault } from '../json/exact-json.ts'
import type { RuledViolation } from '../problem.ts'
import type { ViolationRule } from '../violation-rules.ts'
import {
  type FieldCondition,
  type FieldTest,
  type FieldType,
  type Filter,
  filterLimits,
  type Operator,
  type Scalar,
} from './filter.ts'
import { operandReader } from './parse-operand.ts'

export type ParsedFilter =
  | { readonly ok: true; readonly filter: Filter }
  | { readonly ok: false; readonly violations: RuledViolation[] }

export type ParseFilterOptions = {
  /**
   * Fields of the table, if it is known. Unknown fields and operands of the wrong type are then
   * violations.
   */
  fields?: ReadonlyMap<string, FieldType> | undefined
  /** `false` for a query, which has no change: `changed` is then a violation. */
  changed?: boolean | undefined
}

/**
 * Parses the JSON form of a filter. `field` of a violation is the path inside the filter, '' for
 * the whole filter.
 */
export function parseFilter(json: unknown, options: ParseFilterOptions = {}): ParsedFilter {
  const parser = new FilterParser(options)
  const filter = parser.parse(json, { path: '', depth: 1 })
  const { violations } = parser
  // Checked last: `JSON.stringify` could overflow the stack on nesting that the parser refuses.
  if (violations.length === 0 && Buffer.byteLength(JSON.stringify(json)) > filterLimits.bytes) {
    violations.push({
      field: '',
      message: `a filter has at most ${filterLimits.bytes} bytes of JSON`,
      rule: 'too_long',
    })
  }
  return violations.length === 0 ? { ok: true, filter } : { ok: false, violations }
}

type FilterPosition = { path: string; depth: number }
/** An operand is `holder[key]`: only there is it known whether the JSON parser rounded it. */
type OperandPosition = { holder: object; key: string; path: string }

const operators: ReadonlySet<string> = new Set<Operator>([
  'eq',
  'ne',
  'gt',
  'gte',
  'lt',
  'lte',
  'in',
  'nin',
  'exists',
  'contains',
  'startsWith',
])
/** True if the name is an operator, not a field inside JSON. */
export const isOperator = (name: string): name is Operator => operators.has(name)

const maxViolations = 50
const maxPathShown = 200
const everything: Filter = { kind: 'and', of: [] }
const at = (path: string, key: string | number) => (path === '' ? String(key) : `${path}.${key}`)
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

class FilterParser {
  readonly violations: RuledViolation[] = []
  readonly #options: ParseFilterOptions
  #conditions = 0
  #operands = 0

  constructor(options: ParseFilterOptions) {
    this.#options = options
  }

  parse(json: unknown, { path, depth }: FilterPosition): Filter {
    if (!isObject(json)) return this.#refuse(path, 'must be an object')
    if (depth > filterLimits.depth) {
      return this.#refuse(path, `must not be nested deeper than ${filterLimits.depth}`)
    }
    const parts: Filter[] = []
    for (const key of Object.keys(json)) {
      // Stops at the limit: the rest of the filter may be very long.
      if (this.#isOverLimit) break
      parts.push(...this.#entry(json, key, { path: at(path, key), depth: depth + 1 }))
    }
    const [only] = parts
    return only !== undefined && parts.length === 1 ? only : { kind: 'and', of: parts }
  }

  #entry(holder: Record<string, unknown>, key: string, place: FilterPosition): Filter[] {
    const value = holder[key]
    switch (key) {
      case 'and':
      case 'or':
        return [this.#all(key, value, place)]
      case 'not':
        return this.#counted(place.path) ? [{ kind: 'not', of: this.parse(value, place) }] : []
      case 'changed':
        return this.#counted(place.path) ? [this.#changed(value, place.path)] : []
      default:
        return this.#field(holder, key, place.path)
    }
  }

  #all(kind: 'and' | 'or', value: unknown, { path, depth }: FilterPosition): Filter {
    if (!Array.isArray(value) || value.length === 0) {
      return this.#refuse(path, 'must be a list of at least one filter')
    }
    const of: Filter[] = []
    for (const [index, item] of value.entries()) {
      if (this.#isOverLimit || !this.#counted(path)) break
      of.push(this.parse(item, { path: at(path, index), depth }))
    }
    return { kind, of }
  }

  #changed(value: unknown, path: string): Filter {
    if (this.#options.changed === false) return this.#refuse(path, 'is only for webhooks')
    if (!Array.isArray(value) || value.length === 0) {
      return this.#refuse(path, 'must be a list of at least one field')
    }
    if (value.length > filterLimits.listLength) {
      return this.#refuse(path, `must have at most ${filterLimits.listLength} elements`)
    }
    if (!this.#affords(value.length, path)) return everything
    const fields: string[] = []
    for (const [index, field] of value.entries()) {
      if (typeof field !== 'string' || field === '') {
        this.#refuse(at(path, index), 'must be the name of a field')
      } else if (this.#isKnown(field, at(path, index))) {
        fields.push(field)
      }
    }
    return { kind: 'changed', fields }
  }

  #field(holder: Record<string, unknown>, name: string, path: string): Filter[] {
    const value = holder[name]
    const segments = this.#segments(name, path)
    if (segments === null) return []
    const type = this.#options.fields?.get(segments[0]) ?? null
    const target = { kind: 'field', path: segments, type } as const
    if (Array.isArray(value)) return [this.#refuse(path, 'must be a value, or {"in": [...]}')]
    if (!isObject(value)) return this.#test(target, 'eq', { holder, key: name, path })
    const tests = Object.keys(value)
    if (tests.length === 0) return [this.#refuse(path, 'must have an operator')]
    return tests.flatMap((op) => {
      const place = at(path, op)
      if (isOperator(op)) return this.#test(target, op, { holder: value, key: op, path: place })
      return [this.#refuse(place, 'unknown operator')]
    })
  }

  #segments(name: string, path: string): [string, ...string[]] | null {
    const [field = '', ...inside] = name.split('.')
    if ([field, ...inside].includes('')) return this.#none(path, 'is not a path of fields')
    if (name.length > filterLimits.textLength || inside.length >= filterLimits.pathSegments) {
      return this.#none(path, 'is too long a path')
    }
    if (!name.isWellFormed() || name.includes('\0')) return this.#none(path, 'is not valid text')
    if (!this.#isKnown(field, path)) return null
    const type = this.#options.fields?.get(field) ?? 'json'
    if (inside.length > 0 && type !== 'json') {
      return this.#none(path, `${field} has the type ${type}, which has no fields of its own`)
    }
    return [field, ...inside]
  }

  #isKnown(field: string, path: string): boolean {
    const known = this.#options.fields === undefined || this.#options.fields.has(field)
    if (!known) this.#refuse(path, 'is not a field of the table', 'unknown_field')
    return known
  }

  #test(
    target: Pick<FieldCondition, 'kind' | 'path' | 'type'>,
    op: Operator,
    { holder, key, path }: OperandPosition,
  ): Filter[] {
    if (!this.#counted(path)) return []
    const read = operandReader(op, target.type)
    if (read === null) return [this.#refuse(path, `does not fit the type ${target.type}`)]
    const operand: unknown = Reflect.get(holder, key)
    const one = (value: unknown, place: OperandPosition): Scalar => {
      if (value === null && ['eq', 'ne', 'in', 'nin'].includes(op)) return null
      const parsed = read(value)
      const isExact = target.type === 'double' || !isRounded(place.holder, place.key)
      if ('value' in parsed && isExact) return parsed.value
      this.#refuse(place.path, 'fault' in parsed ? parsed.fault : roundedFault)
      return null
    }
    if (op !== 'in' && op !== 'nin') {
      if (!this.#affords(1, path)) return []
      return [
        { ...target, op, operand: one(operand, { holder, key, path }) } as FieldTest &
          typeof target,
      ]
    }
    if (!Array.isArray(operand)) return [this.#refuse(path, 'must be a list')]
    if (operand.length > filterLimits.listLength) {
      return [this.#refuse(path, `must have at most ${filterLimits.listLength} elements`)]
    }
    if (!this.#affords(operand.length, path)) return []
    const list = operand.map((value, index) =>
      one(value, { holder: operand, key: `${index}`, path: at(path, index) }),
    )
    return [{ ...target, op, operand: list }]
  }

  #counted(path: string): boolean {
    this.#conditions += 1
    if (this.#conditions === filterLimits.conditions + 1) {
      this.#refuse(path, `a filter has at most ${filterLimits.conditions} conditions`)
    }
    return this.#conditions <= filterLimits.conditions
  }

  #affords(operands: number, path: string): boolean {
    const { operands: most } = filterLimits
    const wasOver = this.#operands > most
    this.#operands += operands
    const isOver = this.#operands > most
    if (isOver && !wasOver) this.#refuse(path, `a filter has at most ${most} operands`)
    return !isOver
  }

  get #isOverLimit(): boolean {
    return this.#conditions > filterLimits.conditions || this.#operands > filterLimits.operands
  }

  #refuse(field: string, message: string, rule: ViolationRule = 'invalid_filter'): Filter {
    if (this.violations.length < maxViolations) {
      this.violations.push({ field: field.slice(0, maxPathShown), message, rule })
    }
    return everything
  }

  #none(field: string, message: string): null {
    this.#refuse(field, message)
    return null
  }
}
