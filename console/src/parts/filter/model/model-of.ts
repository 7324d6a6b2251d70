import { isJsonObject, type JsonObject } from '../../forms/json-object.ts'
import {
  type Group,
  type GroupKind,
  isList,
  isOperator,
  type Member,
  mostLevels,
  type Row,
  type Scalar,
} from './model.ts'

/** Where a member is in the JSON: the path of its value, and that of its column. */
export type MemberPath = { readonly path: string; readonly field: string }

/**
 * The places of all members, by their address. The address `1.0` is the first member of the second.
 */
export type MemberPaths = ReadonlyMap<string, MemberPath>

export type FilterReading =
  | { readonly isShown: true; readonly model: Group; readonly places: MemberPaths }
  /** A sentence about what the form lacks. */
  | { readonly isShown: false; readonly why: string }

/** What the form shows for a filter, or why it cannot show it. */
export function modelOf(filter: JsonObject): FilterReading {
  const reader = new Reader()
  const model = reader.root(filter)
  const { why, places } = reader
  return why === null ? { isShown: true, model, places } : { isShown: false, why }
}

/** The path of a part, as the violations of the API write it. */
export const at = (path: string, key: string | number): string =>
  path === '' ? String(key) : `${path}.${key}`

/** An open group: its members so far, its address, and how many groups contain it. */
type Target = { of: Member[]; address: string; level: number }

/** An operand that JSON keeps as it is: JavaScript rounds long whole numbers. */
const isKept = (value: unknown): value is Scalar =>
  typeof value === 'number'
    ? Number.isFinite(value) &&
      (Number.isSafeInteger(value) || !Number.isInteger(value) || Math.abs(value) > 2 ** 64)
    : value === null || typeof value === 'string' || typeof value === 'boolean'

class Reader {
  why: string | null = null
  readonly places = new Map<string, MemberPath>()

  root(filter: JsonObject): Group {
    const entry = onlyEntry(filter)
    const target: Target = { of: [], address: '', level: 1 }
    if (entry?.[0] === 'or') return this.#listed('any', entry[1], { target, path: 'or' })
    if (entry?.[0] === 'not') return this.#negated(entry[1], { target, path: 'not' })
    this.#all(filter, target, '')
    return { kind: 'all', of: target.of }
  }

  /** Reads the members of a group that holds when all entries do. */
  #all(filter: unknown, target: Target, path: string): void {
    if (!isJsonObject(filter)) return this.#refuse(path, 'must be an object')
    const entry = onlyEntry(filter)
    if (entry?.[0] === 'and') {
      this.#listed('all', entry[1], { target, path: at(path, 'and') })
      return
    }
    for (const [key, value] of Object.entries(filter)) this.#entry(key, value, target, path)
  }

  #entry(key: string, value: unknown, target: Target, within: string): void {
    const path = at(within, key)
    switch (key) {
      case 'and':
        return this.#group(target, path, (inner) =>
          this.#listed('all', value, { target: inner, path }),
        )
      case 'or':
        return this.#group(target, path, (inner) =>
          this.#listed('any', value, { target: inner, path }),
        )
      case 'not':
        return this.#group(target, path, (inner) => this.#negated(value, { target: inner, path }))
      case 'changed':
        return this.#changed(value, target, path)
      default:
        return this.#field(key, value, target, path)
    }
  }

  #group(target: Target, path: string, read: (inner: Target) => Group): void {
    const address = at(target.address, target.of.length)
    const level = target.level + 1
    if (level > mostLevels) {
      return this.#refuse(path, `is more than ${mostLevels} groups deep`)
    }
    this.places.set(address, { path, field: path })
    target.of.push(read({ of: [], address, level }))
  }

  /** Reads the elements of `and` or `or` into the target. */
  #listed(kind: GroupKind, value: unknown, { target, path }: GroupPath): Group {
    if (!Array.isArray(value)) this.#refuse(path, 'must be a list of filters')
    else {
      for (const [index, element] of value.entries()) {
        this.#element(element, target, at(path, index))
      }
    }
    return { kind, of: target.of }
  }

  #element(filter: unknown, target: Target, path: string): void {
    if (!isJsonObject(filter)) return this.#refuse(path, 'must be an object')
    const [key, value] = onlyEntry(filter) ?? []
    const isAlone = key !== undefined && countOf(key, value) === 1
    if (isAlone) return this.#entry(key, value, target, path)
    this.#group(target, path, (inner) => {
      this.#all(filter, inner, path)
      return { kind: 'all', of: inner.of }
    })
  }

  #negated(value: unknown, { target, path }: GroupPath): Group {
    const entry = isJsonObject(value) ? onlyEntry(value) : undefined
    if (entry?.[0] === 'or') {
      return this.#listed('none', entry[1], { target, path: at(path, 'or') })
    }
    this.#all(value, target, path)
    return { kind: 'notAll', of: target.of }
  }

  #changed(value: unknown, target: Target, path: string): void {
    const isNames = Array.isArray(value) && value.every((one) => typeof one === 'string')
    if (!isNames) return this.#refuse(path, 'must be a list of columns')
    this.#push(target, { kind: 'changed', fields: value }, { path, field: path })
  }

  #field(field: string, value: unknown, target: Target, path: string): void {
    if (!isJsonObject(value))
      return this.#test(target, { field, operator: 'eq', operand: value }, { path, field: path })
    const tests = Object.entries(value)
    if (tests.length === 0) return this.#refuse(path, 'has no operator')
    for (const [operator, operand] of tests) {
      this.#test(target, { field, operator, operand }, { path: at(path, operator), field: path })
    }
  }

  #test(target: Target, { field, operator, operand }: ReadTest, place: MemberPath): void {
    const { path } = place
    if (!isOperator(operator))
      return this.#refuse(path, 'is an operator that the form does not know')
    const row = readRow(field, operator, operand)
    if (row === null) return this.#refuse(path, 'has a value that the form cannot keep exactly')
    this.#push(target, row, place)
  }

  #push(target: Target, member: Member, place: MemberPath): void {
    this.places.set(at(target.address, target.of.length), place)
    target.of.push(member)
  }

  #refuse(path: string, why: string): void {
    this.why ??= path === '' ? `The filter ${why}.` : `“${path}” ${why}.`
  }
}

type GroupPath = { target: Target; path: string }
type ReadTest = { field: string; operator: string; operand: unknown }

function onlyEntry(filter: JsonObject): [string, unknown] | undefined {
  const [first, second] = Object.entries(filter)
  return second === undefined ? first : undefined
}

/** How many rows an entry makes. A column with two operators makes two. */
const countOf = (key: string, value: unknown): number =>
  isJsonObject(value) && key !== 'not' ? Object.keys(value).length : 1

function readRow(field: string, operator: Row['operator'], operand: unknown): Row | null {
  if (isList(operator)) {
    const isWhole = Array.isArray(operand) && operand.every(isKept)
    return isWhole ? { kind: 'row', field, operator, operand } : null
  }
  if (!isKept(operand) || (operator === 'exists' && typeof operand !== 'boolean')) return null
  return { kind: 'row', field, operator, operand }
}
