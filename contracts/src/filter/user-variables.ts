import type { RuledViolation } from '../problem.ts'
import type { Scalar } from './filter.ts'
import { type FilterJson, mapOperands } from './map-operands.ts'

/**
 * What a rule may name of the caller, as `$user.id`: `id`, `email`, `roles`, and the user's
 * attributes by their names.
 */
export type UserValue = Scalar | readonly Scalar[]

/** Returns the value of a variable, or `undefined` if the user has none. */
export type ValueOfUser = (name: string) => UserValue | undefined

const variableForm = /^\$user\.([a-z][A-Za-z0-9_]{0,62})$/
const isEscaped = (text: string) => text.startsWith('$$')
const isVariable = (operand: unknown): operand is string =>
  typeof operand === 'string' && operand.startsWith('$') && !isEscaped(operand)

/** Returns the variable that a value of a rule names: `id` for `$user.id`. */
export function variableOf(value: unknown): string | null {
  return isVariable(value) ? (variableForm.exec(value)?.[1] ?? null) : null
}

/** A text of a rule without its escape: `$$x` stands for `$x`. */
export const literalOf = (value: unknown): unknown =>
  typeof value === 'string' && isEscaped(value) ? value.slice(1) : value

export const variableMessage =
  'must be "$user.id", "$user.email", "$user.roles" or "$user.<attribute>"; ' +
  'a text that begins with "$" is written with "$$"'

/** Returns a violation for each operand that begins with `$` and names no variable. */
export function variableFaults(where: FilterJson): RuledViolation[] {
  const faults: RuledViolation[] = []
  mapOperands(where, (operand, { path }) => {
    if (isVariable(operand) && variableOf(operand) === null) {
      faults.push({ field: path, message: variableMessage, rule: 'invalid_filter' })
    }
    return operand
  })
  return faults
}

/** Returns the names of the variables that the filter uses. */
export function variablesOf(where: FilterJson): Set<string> {
  const names = new Set<string>()
  mapOperands(where, (operand) => {
    const name = variableOf(operand)
    if (name !== null) names.add(name)
    return operand
  })
  return names
}

/**
 * Replaces the variables by the user's values. Returns `null` if the user lacks one of them: the
 * filter then holds for no record, also where it stands in a `not`.
 */
export function bindVariables(where: FilterJson, valueOf: ValueOfUser): FilterJson | null {
  let isBound = true
  const bound = mapOperands(where, (operand) => {
    if (!isVariable(operand)) return literalOf(operand)
    const name = variableOf(operand)
    const value = name === null ? undefined : valueOf(name)
    // A missing value is no `null`, which would match the records without a value.
    if (value === undefined || value === null) isBound = false
    return value
  })
  return isBound ? bound : null
}
