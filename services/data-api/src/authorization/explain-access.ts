import { appliesTo } from '@surehook/access/users/row-grants'
import { variablesIn } from '@surehook/access/users/rule-values'
import { failureIn } from '@surehook/contracts/filter/first-failure'
import { bindVariables, type ValueOfUser } from '@surehook/contracts/filter/user-variables'
import { fieldValue } from '@surehook/contracts/filter/values/field-value'
import type { AccessEntry } from '@surehook/contracts/http/data/access'
import type {
  AccessExplanation,
  ActionExplanation,
  ExplainedAction,
  RuleExplanation,
} from '@surehook/contracts/http/data/explanation'
import { fieldTypes, type TableDefinition } from '../table-definition.ts'
import { bindGrants } from './grants.ts'

export type ExplainedRecord = {
  table: Pick<TableDefinition, 'columns' | 'access'>
  /** All fields of the record. */
  record: Readonly<Record<string, unknown>>
  roles: readonly string[]
  valueOf: ValueOfUser
}

/** Explains what a user may do with a record, and what each rule of the table makes of it. */
export const explainActions = (of: ExplainedRecord): Pick<AccessExplanation, ExplainedAction> => ({
  read: explainAction(of, 'read'),
  update: explainAction(of, 'update'),
  delete: explainAction(of, 'delete'),
})

type Explained = RuleExplanation & { columns: readonly string[] }

function explainAction(of: ExplainedRecord, action: ExplainedAction): ActionExplanation {
  const explained = of.table.access[action].map((entry, index) =>
    explainEntry(of, { entry, place: `access.${action}.${index}` }),
  )
  const allowed = explained.some(({ outcome }) => outcome === 'admits')
  const usable = new Set(explained.flatMap(({ columns }) => columns))
  const columns = of.table.columns.flatMap(({ name }) => (usable.has(name) ? [name] : []))
  return {
    allowed,
    reason: reasonFor(explained, allowed),
    ...(action !== 'delete' && { columns }),
    rules: explained.map(({ columns: _columns, ...rule }) => rule),
  }
}

function reasonFor(explained: readonly Explained[], allowed: boolean): string {
  if (allowed) return 'A rule of the user admits the record'
  const isOfUser = explained.some(({ outcome }) => outcome !== 'other_role')
  return isOfUser ? 'No rule of the user admits the record' : 'No role of the user allows this'
}

type RuleInTable = { entry: AccessEntry; place: string }

/** A rule admits what it admits in `bindGrants`, which also binds it for the user's own requests. */
function explainEntry(of: ExplainedRecord, { entry, place }: RuleInTable): Explained {
  const { table, record, roles, valueOf } = of
  const refused = { place, rule: entry, columns: [] }
  if (!appliesTo(entry, roles)) {
    const role = typeof entry === 'string' ? entry : entry.role
    return { ...refused, outcome: 'other_role', reason: `The user has no role "${role}"` }
  }
  const admitted = (columns: readonly string[], reason: string): Explained => ({
    ...{ place, rule: entry, columns, reason },
    outcome: 'admits',
  })
  const all = table.columns.map(({ name }) => name)
  const grants = bindGrants([entry], { columns: table.columns, valueOf })
  if (grants === null) return admitted(all, 'The role may do this with all records')
  const [grant] = grants
  if (grant === undefined) return { ...refused, ...lackOf(entry, valueOf) }
  if (!grant.admits(record, [])) return { ...refused, ...failureOf(of, { entry, place }) }
  const columns = grant.columns === null ? all : [...grant.columns]
  return admitted(
    columns.filter((name) => !Object.hasOwn(grant.set, name)),
    'The rule admits the record',
  )
}

function lackOf(entry: AccessEntry, valueOf: ValueOfUser): Pick<Explained, 'outcome' | 'reason'> {
  const lacking = [...variablesIn(entry)].filter((name) => (valueOf(name) ?? null) === null)
  const names = lacking.map((name) => `$user.${name}`).join(', ')
  const reason = names === '' ? 'A value of the user does not fit' : `The user has no ${names}`
  return { outcome: 'no_value', reason }
}

function failureOf(
  { table, record, valueOf }: ExplainedRecord,
  { entry, place }: RuleInTable,
): Pick<Explained, 'outcome' | 'reason' | 'field' | 'expected' | 'actual'> {
  const where = typeof entry === 'string' ? undefined : entry.where
  const bound = bindVariables(where ?? {}, valueOf) ?? {}
  const options = { fields: fieldTypes(table), changed: false }
  const failed = failureIn(bound, { record, changedFields: [] }, options)
  if (failed === null) throw new Error('a filter does not match, and each of its conditions holds')
  const { path, test } = failed
  return {
    outcome: 'not_met',
    reason: `The record does not meet where.${path}`,
    field: `${place}.where.${path}`,
    ...(test && {
      expected: test.operand,
      actual: fieldValue(record, test.field.split('.')) ?? null,
    }),
  }
}
