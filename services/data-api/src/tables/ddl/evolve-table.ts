import { type Access, type AccessAction, accessActions } from '@surehook/contracts/http/data/access'
import { ownerAccess, ownerColumn } from '@surehook/contracts/http/data/owner-access'
import type { OwnTableInput } from '@surehook/contracts/http/data/tables'
import type { RuledViolation } from '@surehook/contracts/problem'
import type { ViolationRule } from '@surehook/contracts/violation-rules'
import type { Column, TableShape } from '../../table-definition.ts'
import { parseColumnValue } from '../../values/column-value.ts'
import { accessFaults } from './access-faults.ts'

/** One change of the PostgreSQL table; `index` is the column's position in the definition. */
export type ColumnStep =
  | { kind: 'add'; column: Column; index: number }
  /** Like `add`, for a column and index that `prepareUnique` has already made. */
  | { kind: 'adopt'; column: Column; index: number }
  /** Drops a column that nobody could write yet, so that it can be added again. */
  | { kind: 'clear'; column: Column }
  | { kind: 'relax-required'; column: Column }
  | { kind: 'relax-unique'; index: number }
  | { kind: 'change-default'; column: Column }

export type Evolution =
  | { ok: true; shape: TableShape; steps: readonly ColumnStep[]; changed: boolean }
  | { ok: false; violations: readonly RuledViolation[] }

type Input = OwnTableInput['columns'][number]

/**
 * Computes the steps from the present table (`null`: none) to the requested one. A change that
 * could lose data or make existing records invalid becomes a violation. Columns keep their
 * positions; new ones come last.
 */
export function evolveTable(
  current: (TableShape & { hasRecords: boolean }) | null,
  input: OwnTableInput,
): Evolution {
  const violations: RuledViolation[] = []
  const existing = current?.columns ?? []
  const requested = withOwner(input)
  const wanted = new Map(requested.columns.map((column, index) => [column.name, { column, index }]))
  const steps: ColumnStep[] = []

  const kept = existing.map((column, position) => {
    const wish = wanted.get(column.name)
    wanted.delete(column.name)
    if (wish !== undefined) return evolveColumn({ column, position }, wish, { steps, violations })
    const message = `lacks the column ${described(column)} of the existing table; no column can be removed`
    violations.push({ field: 'columns', message, rule: 'data_loss' })
    return column
  })
  const added = [...wanted.values()].map((wish) =>
    addColumn(wish, { violations, hasRecords: current?.hasRecords ?? false }),
  )
  for (const [index, column] of added.entries()) {
    steps.push({ kind: 'add', column, index: kept.length + index })
  }
  const shape = {
    columns: [...kept, ...added],
    access: mergeAccess(current?.access, requested.access),
  }
  violations.push(...accessFaults(shape))
  if (violations.length > 0) return { ok: false, violations }
  const changed = current === null || steps.length > 0 || !sameAccess(current.access, shape.access)
  return { ok: true, shape, steps, changed }
}

type Requested = Omit<OwnTableInput, 'access'> & { access?: Partial<Access> | undefined }

/** Writes out the preset `owner`: its rules, and its column if the request lacks it. */
function withOwner({ columns, access }: OwnTableInput): Requested {
  if (access !== 'owner') return { columns, access }
  const hasColumn = columns.some(({ name }) => name === ownerColumn.name)
  return { columns: hasColumn ? columns : [...columns, ownerColumn], access: ownerAccess }
}

/** `index` is the position in the request, which faults name. */
type Wish = { column: Input; index: number }

const completed = (input: Input): Column => ({
  name: input.name,
  type: input.type,
  required: input.required ?? false,
  unique: input.unique ?? false,
  default: input.default ?? null,
})

/** A column as a user would define it again: `"total" (decimal, required)`. */
function described({ name, type, required, unique }: Column): string {
  const traits = [type, ...(required ? ['required'] : []), ...(unique ? ['unique'] : [])]
  return `"${name}" (${traits.join(', ')})`
}

const refusing =
  (violations: RuledViolation[], index: number) =>
  (what: string, rule: ViolationRule, message: string): void => {
    violations.push({ field: `columns.${index}.${what}`, message, rule })
  }

function addColumn(
  { column: input, index }: Wish,
  { violations, hasRecords }: { violations: RuledViolation[]; hasRecords: boolean },
): Column {
  const column = completed(input)
  const refuse = refusing(violations, index)
  if (column.unique && column.type === 'json')
    refuse('unique', 'unsupported', 'json cannot be unique')
  checkDefault(column, index, violations)
  if (hasRecords && column.required && column.default === null) {
    refuse('required', 'default_missing', 'needs a default: the table has records')
  }
  return column
}

function evolveColumn(
  { column, position }: { column: Column; position: number },
  { column: input, index }: Wish,
  { steps, violations }: { steps: ColumnStep[]; violations: RuledViolation[] },
): Column {
  const wanted = completed(input)
  const refuse = refusing(violations, index)
  const differs = (what: 'type' | 'required' | 'unique', rest: string) =>
    refuse(what, 'data_loss', `"${column.name}" of the existing table ${rest}`)
  if (input.type !== column.type) {
    differs('type', `is ${column.type} and cannot become ${input.type}`)
    return column
  }
  if (wanted.required && !column.required)
    differs('required', 'is optional and cannot become required: existing records may lack it')
  if (wanted.unique && !column.unique)
    differs('unique', 'is not unique and cannot become unique: existing values may repeat')
  checkDefault(wanted, index, violations)
  if (column.required && !wanted.required) steps.push({ kind: 'relax-required', column: wanted })
  if (column.unique && !wanted.unique) steps.push({ kind: 'relax-unique', index: position })
  if (!sameJson(column.default, wanted.default)) {
    steps.push({ kind: 'change-default', column: wanted })
  }
  return wanted
}

const maxDefaultBytes = 8_192

function checkDefault(column: Column, index: number, violations: RuledViolation[]): void {
  if (column.default === null) return
  const refuse = refusing(violations, index)
  if (column.unique) return refuse('default', 'unsupported', 'a unique column has none')
  const parsed = parseColumnValue(column, column.default)
  if ('fault' in parsed) {
    return refuse(['default', ...parsed.path].join('.'), 'unfit_value', parsed.fault)
  }
  if (Buffer.byteLength(parsed.text) > maxDefaultBytes) {
    refuse('default', 'too_long', `must have at most ${maxDefaultBytes} bytes`)
  }
}

/** Actions that the request leaves out keep their roles. */
function mergeAccess(current: Access | undefined, input: Partial<Access> | undefined): Access {
  const entries = (action: AccessAction) => input?.[action] ?? current?.[action] ?? []
  return {
    read: entries('read'),
    create: entries('create'),
    update: entries('update'),
    delete: entries('delete'),
  }
}

const sameAccess = (a: Access, b: Access): boolean =>
  accessActions.every((action) => sameJson(a[action], b[action]))

const sameJson = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
