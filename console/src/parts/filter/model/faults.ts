import type { Violation } from '@surehook/client'
import type { JsonObject } from '../../forms/json-object.ts'
import { type Group, isGroup, type Member } from './model.ts'
import { at, type MemberPath, type MemberPaths, modelOf } from './model-of.ts'

/** A fault of a member. With `isField` its column is wrong, with `index` one value of its list. */
export type Fault = { message: string; isField: boolean; index: number | null }

/** Faults by the address of their member. The address of the whole filter is empty. */
export type Faults = ReadonlyMap<string, readonly Fault[]>

const whole: MemberPath = { path: '', field: '' }
/** The rule that a name breaks. */
const unknownField = 'unknown_field'
/** The API cuts longer paths. */
const longestPath = 200

/** The violations below `root`, such as `filter` or `where`, at the members that they concern. */
export function faultsOf(
  violations: readonly Violation[],
  { root, places }: { root: string; places: MemberPaths },
): Faults {
  const faults = new Map<string, Fault[]>()
  for (const { field, message, rule } of violations) {
    const path = pathBelow(root, field)
    if (path === null) continue
    const address = nearestAddress(path, places)
    const place = places.get(address) ?? whole
    const fault = faultAt(path, place, message)
    if (rule === unknownField) fault.isField = true
    faults.set(address, [...(faults.get(address) ?? []), fault])
  }
  return faults
}

/** The rest of a path that begins with `root`, or null if it does not. */
export function pathBelow(root: string, field: string): string | null {
  if (field === root) return ''
  if (root === '') return field
  return field.startsWith(`${root}.`) ? field.slice(root.length + 1) : null
}

function faultAt(path: string, place: MemberPath, message: string): Fault {
  const isField = path === place.field && path !== place.path
  const rest = pathBelow(place.path, path) ?? ''
  const index = /^\d+$/.test(rest) ? Number(rest) : null
  // The message keeps the part of the path below the member.
  const isExact = isField || rest === '' || index !== null
  return { message: isExact ? message : `${rest} ${message}`, isField, index }
}

/** The address of the member whose path is the longest that contains the path. */
function nearestAddress(path: string, places: MemberPaths): string {
  let [best, length] = ['', -1]
  for (const [address, { path: own, field }] of places) {
    for (const one of [own, field]) {
      if (one.length > length && contains(one, path)) [best, length] = [address, one.length]
    }
  }
  return best
}

const contains = (outer: string, path: string): boolean =>
  path === outer.slice(0, longestPath) || path.startsWith(`${outer}.`)

/** What a person has not finished. The API would refuse it with fewer words. */
export function unfinishedIn(filter: JsonObject, root: string): Violation[] {
  const read = modelOf(filter)
  if (!read.isShown) return []
  return [...unfinishedOf(read.model, '')].map(({ address, isField, message }) => {
    const { path, field } = read.places.get(address) ?? whole
    const place = isField ? field : path
    const violation = { field: place === '' ? root : at(root, place), message }
    return isField ? { ...violation, rule: unknownField } : violation
  })
}

type UnfinishedRow = { address: string; isField: boolean; message: string }

function* unfinishedOf(group: Group, address: string): Generator<UnfinishedRow> {
  const isHollow = group.of.length === 0 && (group.kind === 'any' || group.kind === 'none')
  if (isHollow) yield { address, isField: false, message: 'needs a condition' }
  for (const [index, member] of group.of.entries()) {
    const inner = at(address, index)
    if (isGroup(member)) yield* unfinishedOf(member, inner)
    else yield* unfinishedMember(member, inner)
  }
}

function* unfinishedMember(
  member: Exclude<Member, Group>,
  address: string,
): Generator<UnfinishedRow> {
  if (member.kind === 'changed') {
    if (member.fields.length === 0) yield { address, isField: false, message: 'needs a column' }
    return
  }
  if (member.field === '') yield { address, isField: true, message: 'needs a column' }
}
