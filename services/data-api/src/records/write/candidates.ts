import type { RecordInput } from '@surehook/contracts/http/data/records'
import { AppError } from '@surehook/service-kit/errors'
import type { Grant, Grants, RowLimits } from '../../authorization/grants.ts'
import type { TableDefinition } from '../../table-definition.ts'
import { insertValues } from '../../tables/record-statements.ts'
import type { Ruling } from '../../tables/ruled-statements.ts'
import {
  type ColumnChanges,
  type ColumnValues,
  type Faults,
  mayBeSent,
  type RuleValues,
  refuseUnsendable,
} from '../record-values.ts'
import type { RefusedRow } from '../sql/run-statement.ts'

/** What one grant makes of a request. PostgreSQL writes the first one that its grant admits. */
export type Candidate<Values> = { grant: number; values: Values }

/**
 * Returns a candidate for each grant that lets the caller send these fields, or a single one
 * without grants. `read` reads the values with those that a rule sets. If no grant lets the caller
 * send them, the violations are those of the first.
 */
export function candidatesOf<Values>(
  grants: Grants,
  input: RecordInput,
  faults: Faults,
  read: (faults: Faults, set?: RuleValues) => Values,
): Candidate<Values>[] {
  if (grants === null) return [{ grant: 0, values: read(faults) }]
  const fitting = [...grants.entries()].filter(([, grant]) => mayBeSent(input, grant))
  const [first] = grants
  if (first !== undefined && fitting.length === 0) refuseUnsendable(input, first, faults)
  return fitting.map(([grant, { set }], index) => {
    // The sent values are the same in each candidate, so their faults are reported once.
    const own = index === 0 ? faults : { prefix: '', violations: [] }
    return { grant, values: read(own, set) }
  })
}

type WriteParameters = { values: unknown[]; ruling: Ruling }

/** Builds the parameters of a ruled `insert`. Throws FORBIDDEN for a row without candidates. */
export function ruledInsert(
  action: readonly Grant[],
  heads: readonly string[],
  rows: readonly (readonly Candidate<ColumnValues>[])[],
): WriteParameters {
  if (rows.some((candidates) => candidates.length === 0)) throw forbidden()
  const all = rows.flatMap((candidates, row) => candidates.map((of) => ({ ...of, row })))
  const columns = insertValues(
    heads,
    all.map(({ values }) => values),
  )
  const places = [all.map(({ row }) => row), all.map(({ grant }) => grant)]
  return { values: [...columns, ...places], ruling: { action } }
}

/** Builds the parameters of a ruled `update` after its head and its id. */
export function ruledUpdate(
  { columns }: Pick<TableDefinition, 'columns'>,
  { action, read }: RowLimits,
  candidates: readonly Candidate<ColumnChanges>[],
): WriteParameters {
  const given = candidates.flatMap(({ values }) => values.given)
  const values = candidates.flatMap((of) => of.values.values)
  const changed = columns.filter((_, index) =>
    candidates.some((of) => of.values.given[index] === true),
  )
  const showsChanged = (grant: Grant) =>
    changed.every(({ name }) => grant.columns === null || grant.columns.has(name))
  const sees = read === null || changed.length === 0 ? null : read.filter(showsChanged)
  const grants = candidates.map(({ grant }) => grant)
  return { values: [given, values, grants], ruling: { action, sees } }
}

/** The refusal of a record whose values no rule of the caller admits. */
export function refusedValues({ index }: RefusedRow, bulk: boolean): AppError {
  return forbidden(bulk ? `${index}` : undefined)
}

function forbidden(field?: string): AppError {
  const message = 'no rule of your roles admits these values'
  const violations = field === undefined ? [] : [{ field, message, rule: 'not_allowed' } as const]
  return new AppError('FORBIDDEN', 'None of your roles allows a record with these values', {
    violations,
  })
}
