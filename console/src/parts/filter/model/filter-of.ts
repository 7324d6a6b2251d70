import type { JsonObject } from '../../forms/json-object.ts'
import { type Group, isGroup, isReserved, type Member, type Row } from './model.ts'

/**
 * The filter of the API that means the model. `modelOf` makes the same model of it, unless a row
 * has a reserved name: then the API refuses the filter.
 */
export function filterOf(model: Group): JsonObject {
  if (model.kind !== 'all') return Object.fromEntries([entryOf(model)])
  // A filter with `or` or `not` alone is that group.
  return allOf(model.of, (only) => !isGroup(only))
}

export const textOf = (model: Group): string =>
  model.kind === 'all' && model.of.length === 0 ? '' : JSON.stringify(filterOf(model), null, 2)

function entryOf(member: Member): readonly [string, unknown] {
  switch (member.kind) {
    case 'row': {
      const { field, operator, operand } = member
      // The API refuses this. Anything else could be a filter with another meaning.
      if (isReserved(field)) return [field, null]
      return [field, operator === 'eq' ? operand : { [operator]: operand }]
    }
    case 'changed':
      return ['changed', member.fields]
    case 'all':
      return ['and', member.of.map(elementOf)]
    case 'any':
      return ['or', member.of.map(elementOf)]
    case 'none':
      return ['not', { or: member.of.map(elementOf) }]
    case 'notAll':
      // `or` alone inside `not` is a group of the kind `none`.
      return ['not', allOf(member.of, ({ kind }) => kind !== 'any' && kind !== 'all')]
  }
}

/** A member as an element of `and` or `or`. */
function elementOf(member: Member): JsonObject {
  if (member.kind !== 'all') return Object.fromEntries([entryOf(member)])
  return allOf(member.of, () => false)
}

/** A filter that holds when all members do. `isClear` says whether one member may stand alone. */
function allOf(members: readonly Member[], isClear: (only: Member) => boolean): JsonObject {
  const [only] = members
  const list = { and: members.map(elementOf) }
  if (only === undefined) return {}
  if (members.length === 1 && !isClear(only)) return list
  return entriesOf(members) ?? list
}

/** The members as entries of one object, or null if an object cannot hold them in this order. */
function entriesOf(members: readonly Member[]): JsonObject | null {
  const tests = new Map<string, Row[]>()
  const entries = new Map<string, unknown>()
  let last = ''
  for (const member of members) {
    const [key, value] = entryOf(member)
    const rows = member.kind === 'row' ? tests.get(key) : undefined
    if (!entries.has(key)) entries.set(key, value)
    else if (!isNext(rows, member, last === key)) return null
    if (member.kind === 'row') tests.set(key, [...(rows ?? []), member])
    // The API refuses an empty list of filters.
    if (member.kind === 'all' && member.of.length === 0) return null
    last = key
  }
  for (const [field, rows] of tests) if (rows.length > 1) entries.set(field, operatorsOf(rows))
  const object = Object.fromEntries(entries)
  // Objects put names that are whole numbers first.
  const isInOrder = Object.keys(object).every((key, index) => key === [...entries.keys()][index])
  return isInOrder ? object : null
}

/** True if the row can join the tests of its column, which stand right before it. */
const isNext = (rows: readonly Row[] | undefined, member: Member, isAdjacent: boolean): boolean =>
  rows !== undefined &&
  member.kind === 'row' &&
  isAdjacent &&
  rows.every(({ operator }) => operator !== member.operator)

const operatorsOf = (rows: readonly Row[]): JsonObject =>
  Object.fromEntries(rows.map(({ operator, operand }) => [operator, operand]))
