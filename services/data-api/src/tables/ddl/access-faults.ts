import type { FieldType, Scalar } from '@surehook/contracts/filter/filter'
import { type FilterJson, mapOperands } from '@surehook/contracts/filter/map-operands'
import { parseFilter } from '@surehook/contracts/filter/parse-filter'
import {
  literalOf,
  variableFaults,
  variableMessage,
  variableOf,
} from '@surehook/contracts/filter/user-variables'
import {
  type AccessAction,
  type AccessRule,
  accessActions,
} from '@surehook/contracts/http/data/access'
import { numberFault } from '@surehook/contracts/json/exact-json'
import type { RuledViolation } from '@surehook/contracts/problem'
import { type Column, fieldTypes, type TableShape } from '../../table-definition.ts'
import { parseColumnValue } from '../../values/column-value.ts'

/** Each rule that applies to a caller is part of every statement of the caller. */
const maxRules = 20

/** Returns a violation for each part of a rule that the columns do not fit. */
export function accessFaults({ columns, access }: TableShape): RuledViolation[] {
  const faults: RuledViolation[] = []
  for (const action of accessActions) {
    const rules = [...access[action].entries()].flatMap(([index, entry]) =>
      typeof entry === 'string' ? [] : [{ rule: entry, index }],
    )
    if (rules.length > maxRules) {
      const message = `must have at most ${maxRules} rules`
      faults.push({ field: `access.${action}`, message, rule: 'too_many' })
    }
    for (const { rule, index } of rules) {
      const refuse: Refuse = (field, code, message) => {
        faults.push({ field: `access.${action}.${index}.${field}`, message, rule: code })
      }
      checkRule(rule, { action, columns, refuse })
    }
  }
  return faults
}

type Refuse = (field: string, rule: RuledViolation['rule'], message: string) => void
type Check = { action: AccessAction; columns: readonly Column[]; refuse: Refuse }

function checkRule(rule: AccessRule, check: Check): void {
  const { action, refuse } = check
  const sends = action === 'create' || action === 'update'
  if (rule.set !== undefined && !sends) {
    refuse('set', 'unsupported', 'is for create and update')
  }
  if (rule.columns !== undefined && action === 'delete') {
    refuse('columns', 'unsupported', 'a record is deleted as a whole')
  }
  checkWhere(rule.where ?? {}, check)
  checkColumns(rule, check)
  checkSet(rule.set ?? {}, check)
}

function checkWhere(where: FilterJson, { columns, refuse }: Check): void {
  const rounded = numberFault(where)
  if (rounded !== null) {
    return refuse(['where', ...rounded.path].join('.'), 'invalid_filter', rounded.fault)
  }
  const unknown = variableFaults(where)
  for (const { field, message, rule } of unknown) refuse(`where.${field}`, rule, message)
  if (unknown.length > 0) return
  const fields = fieldTypes({ columns })
  const parsed = parseFilter(sampled(where, fields), { fields, changed: false })
  if (parsed.ok) return
  for (const { field, message, rule } of parsed.violations) {
    refuse(field === '' ? 'where' : `where.${field}`, rule, message)
  }
}

function checkColumns({ columns: named, set = {} }: AccessRule, check: Check): void {
  if (named === undefined) return
  const { action, columns, refuse } = check
  for (const [index, name] of named.entries()) {
    if (!columns.some((column) => column.name === name)) {
      refuse(`columns.${index}`, 'unknown_field', 'is not a column of the table')
    }
  }
  if (action !== 'create') return
  for (const { name, required, default: value } of columns) {
    if (!required || value !== null || named.includes(name) || Object.hasOwn(set, name)) continue
    refuse('columns', 'default_missing', `must have "${name}", which is required: or set it`)
  }
}

function checkSet(set: FilterJson, { columns, refuse }: Check): void {
  for (const [name, value] of Object.entries(set)) {
    const column = columns.find((of) => of.name === name)
    if (column === undefined) {
      refuse(`set.${name}`, 'unknown_field', 'is not a column of the table')
      continue
    }
    const fault = setFault(column, value)
    if (fault !== null) refuse(`set.${name}`, 'unfit_value', fault)
  }
}

function setFault(column: Column, value: unknown): string | null {
  if (value === null) return column.required ? 'must not be null' : null
  const variable = variableOf(value)
  const literal = literalOf(value)
  if (variable === null && literal === value && typeof value === 'string' && value.startsWith('$'))
    return variableMessage
  const rounded = column.type === 'double' ? null : numberFault(value)
  if (rounded !== null) return rounded.fault
  const sample =
    variable === null ? literal : sampleOf(variable, { type: column.type, list: false })
  const parsed = parseColumnValue(column, sample)
  return 'fault' in parsed ? parsed.fault : null
}

/** Replaces each variable by a value that a user could have, to check it against its field. */
export const sampled = (where: FilterJson, fields: ReadonlyMap<string, FieldType>): FilterJson =>
  mapOperands(where, (operand, { field, op, inList }) => {
    const name = variableOf(operand)
    if (name === null) return literalOf(operand)
    const list = !inList && (op === 'in' || op === 'nin')
    return sampleOf(name, { type: fields.get(field) ?? 'json', list })
  })

function sampleOf(
  name: string,
  { type, list }: { type: FieldType; list: boolean },
): Scalar | Scalar[] {
  switch (name) {
    case 'id':
      return samples.uuid
    case 'email':
      return 'user@example.com'
    case 'roles':
      return ['role']
    default:
      // An attribute may have any type.
      return list ? [samples[type]] : samples[type]
  }
}

const samples: Readonly<Record<FieldType, Scalar>> = {
  text: 'a',
  integer: 0,
  bigint: '0',
  double: 0,
  decimal: '0',
  boolean: true,
  timestamp: '2026-01-01T00:00:00Z',
  date: '2026-01-01',
  uuid: '00000000-0000-4000-8000-000000000000',
  json: 'a',
}
