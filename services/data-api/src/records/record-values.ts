import { assignedFields } from '@surehook/contracts/http/data/names'
import type { RecordInput } from '@surehook/contracts/http/data/records'
import { isRounded, roundedFault } from '@surehook/contracts/json/exact-json'
import type { RuledViolation } from '@surehook/contracts/problem'
import type { ViolationRule } from '@surehook/contracts/violation-rules'
import type { Grant } from '../authorization/grants.ts'
import type { Column } from '../table-definition.ts'
import { parseColumnValue } from '../values/column-value.ts'

/** One text or `null` per column, in the table's order. */
export type ColumnValues = readonly (string | null)[]

/** The fields that a client changes. Where `given` is false, the value has no meaning. */
export type ColumnChanges = { given: readonly boolean[]; values: ColumnValues }

export type Faults = { prefix: string; violations: RuledViolation[] }

/** The part of a rule that limits what a request may send. */
export type Sendable = Pick<Grant, 'columns' | 'set'>

/** True if the caller sends only columns of the grant, and none that the platform sets. */
export const mayBeSent = (input: RecordInput, { columns, set }: Sendable): boolean =>
  Object.keys(input).every(
    (field) => !Object.hasOwn(set, field) && (columns === null || columns.has(field)),
  )

/** Appends a violation for each field that the grant does not let the caller send. */
export function refuseUnsendable(
  input: RecordInput,
  { columns, set }: Sendable,
  faults: Faults,
): void {
  for (const field of Object.keys(input)) {
    if (Object.hasOwn(set, field)) {
      fault(faults, field, 'is set by a rule and cannot be sent', 'read_only')
    } else if (columns !== null && !columns.has(field)) {
      // The same for a column of the table as for any other name, which the caller need not know.
      fault(faults, field, 'is not a field that your roles may send', 'unknown_field')
    }
  }
}

const assigned: ReadonlySet<string> = new Set(Object.keys(assignedFields))

/** The values that a rule writes, by their columns. They replace what is sent. */
export type RuleValues = Grant['set']

/** Returns the values of a new record, and appends their faults to `violations`. */
export function newRecordValues(
  columns: readonly Column[],
  input: RecordInput,
  faults: Faults,
  set: RuleValues = {},
): ColumnValues {
  refuseUnknown(columns, input, faults)
  return columns.map((column) => {
    if (Object.hasOwn(set, column.name))
      return givenValue(column, { value: set[column.name] }, faults)
    if (Object.hasOwn(input, column.name))
      return givenValue(column, { input, value: input[column.name] }, faults)
    if (column.default !== null) return givenValue(column, { value: column.default }, faults)
    if (column.required) fault(faults, column.name, 'is required', 'required')
    return null
  })
}

/** Returns the changed values, and appends their faults to `violations`. */
export function changedValues(
  columns: readonly Column[],
  input: RecordInput,
  faults: Faults,
  set: RuleValues = {},
): ColumnChanges {
  refuseUnknown(columns, input, faults)
  const changes = columns.map((column): [boolean, string | null] => {
    const { name } = column
    if (Object.hasOwn(set, name)) return [true, givenValue(column, { value: set[name] }, faults)]
    if (!Object.hasOwn(input, name)) return [false, null]
    return [true, givenValue(column, { input, value: input[name] }, faults)]
  })
  return { given: changes.map(([given]) => given), values: changes.map(([, value]) => value) }
}

function refuseUnknown(columns: readonly Column[], input: RecordInput, faults: Faults): void {
  const known = new Set(columns.map(({ name }) => name))
  for (const field of Object.keys(input)) {
    if (assigned.has(field)) fault(faults, field, 'is assigned and cannot be written', 'read_only')
    else if (!known.has(field)) fault(faults, field, 'is not a field of the table', 'unknown_field')
  }
}

type FieldValue = { value: unknown; input?: RecordInput }

function givenValue(column: Column, { value, input }: FieldValue, faults: Faults): string | null {
  if (value === null) {
    if (column.required) fault(faults, column.name, 'must not be null', 'not_null')
    return null
  }
  if (input !== undefined && column.type !== 'double' && isRounded(input, column.name)) {
    fault(faults, column.name, roundedFault, 'unfit_value')
    return null
  }
  const parsed = parseColumnValue(column, value)
  if ('text' in parsed) return parsed.text
  fault(faults, [column.name, ...parsed.path].join('.'), parsed.fault, 'unfit_value')
  return null
}

const maxFieldLength = 200

function fault(
  { prefix, violations }: Faults,
  field: string,
  message: string,
  rule: ViolationRule,
): void {
  violations.push({ field: `${prefix}${field}`.slice(0, maxFieldLength), message, rule })
}
