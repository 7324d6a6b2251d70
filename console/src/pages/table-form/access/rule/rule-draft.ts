import type { Violation } from '@surehook/client'
import {
  type Access,
  type Action,
  isLimited,
  type PlacedRule,
  type Rule,
} from '../../../../parts/data/access/access.ts'
import { pathBelow } from '../../../../parts/filter/model/faults.ts'
import { filterIn } from '../../../../parts/filter/model/filter-text.ts'
import { type JsonObject, jsonObjectIn } from '../../../../parts/forms/json-object.ts'

/** A rule as it was typed. `where` and `set` are JSON, or empty. */
export type RuleDraft = {
  role: string
  action: Action
  where: string
  /** Null for all columns. */
  columns: readonly string[] | null
  set: string
}

export const emptyRule = (role: string): RuleDraft => ({
  role,
  action: 'read',
  where: '',
  columns: null,
  set: '',
})

const textOf = (json: JsonObject | undefined) =>
  json === undefined ? '' : JSON.stringify(json, null, 2)

export const ruleDraftOf = ({ action, rule }: PlacedRule): RuleDraft => ({
  role: rule.role,
  action,
  where: textOf(rule.where),
  columns: rule.columns ?? null,
  set: textOf(rule.set),
})

/** A record is deleted as a whole. */
export const hasColumns = (action: Action): boolean => action !== 'delete'

export const hasSet = (action: Action): boolean => action === 'create' || action === 'update'

/** The rule, and what is wrong with the text. Faults name the fields of the rule. */
export function ruleIn(draft: RuleDraft): { rule: Rule; violations: Violation[] } {
  const { role, action, columns } = draft
  const where = filterIn(draft.where, 'where')
  const set = setIn(hasSet(action) ? draft.set : '')
  const rule: Rule = {
    role,
    ...(where.filter !== null && { where: where.filter }),
    ...(columns !== null && hasColumns(action) && { columns: [...columns] }),
    ...(set.values !== null && { set: set.values }),
  }
  const violations = [...where.violations, ...set.violations]
  if (violations.length === 0 && !isLimited(rule)) violations.push(unlimited)
  return { rule, violations }
}

const unlimited: Violation = {
  field: 'where',
  message: 'needs a condition: for all records and columns, tick the box of the role instead',
}

function setIn(text: string): { values: JsonObject | null; violations: Violation[] } {
  if (text.trim() === '') return { values: null, violations: [] }
  const parsed = jsonObjectIn(text)
  if ('value' in parsed) return { values: parsed.value, violations: [] }
  return { values: null, violations: [{ field: 'set', message: parsed.fault }] }
}

/** Puts the rule where `before` was, or at the end of its action. */
export function withRule(
  access: Access,
  { action, rule }: { action: Action; rule: Rule },
  before: PlacedRule | null,
): Access {
  if (before?.action === action) {
    return { ...access, [action]: access[action].with(before.index, rule) }
  }
  const rest = before === null ? access : withoutRule(access, before)
  return { ...rest, [action]: [...rest[action], rule] }
}

export const withoutRule = (access: Access, { action, index }: PlacedRule): Access => ({
  ...access,
  [action]: access[action].toSpliced(index, 1),
})

/** The violations of a rule, with the fields of the rule. */
export const violationsOf = (
  violations: readonly Violation[],
  { action, index }: PlacedRule,
): Violation[] =>
  violations.flatMap((violation) => {
    const field = pathBelow(`access.${action}.${index}`, violation.field)
    return field === null ? [] : [{ ...violation, field }]
  })
