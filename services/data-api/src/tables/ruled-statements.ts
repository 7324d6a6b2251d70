import type { Grant, Grants } from '../authorization/grants.ts'
import { quoteIdent } from '../sql/quote.ts'
import type { TableDefinition } from '../table-definition.ts'
import {
  deleteIfSql,
  deleteSql,
  getSql,
  insertSql,
  isExpected,
  type Target,
  targetOf,
  type UpdateChoice,
  updateSql,
} from './record-sql.ts'
import type { RecordStatements } from './record-statements.ts'
import { admitsSql, anyAdmitsSql, type FieldSql, fieldsOfRow } from './rule-sql.ts'

export type Statement = { text: string; values: unknown[] }

export type Ruling = {
  /** The grants of the statement's action. */
  action: Grants
  /** For an update: the grants of reading that show all columns which it changes. */
  sees?: Grants
}

/** A statement that rules can limit. Callers with rules write a new record with a key by `insert`. */
export type RuledStatement = Exclude<keyof RecordStatements, 'insertKeyed'>

/**
 * Builds a statement for a caller with rules. Its first parameters are those of the plain statement
 * in `values`; the values of the rules follow.
 */
export function ruledStatement(
  table: TableDefinition,
  statement: RuledStatement,
  { values: given, action, sees = null }: Ruling & { values: readonly unknown[] },
): Statement {
  const values = [...given]
  const target = targetOf(table)
  const admitted = (): Target =>
    action === null
      ? target
      : {
          ...target,
          current: `${target.current} and ${anyAdmitsSql(action, fieldsOfRow(table, 't'), values)}`,
        }
  const text = () => {
    switch (statement) {
      case 'get':
        return getSql(admitted())
      case 'delete':
        return deleteSql(admitted())
      case 'deleteIf':
        return deleteIfSql(admitted(), isExpected(3))
      case 'insert': {
        const rows = fieldsOfRow(table, 't')
        const admits = choiceSql(action, 't', (grant) => admitsSql(grant, rows, values))
        return insertSql(target, { admits })
      }
      case 'update':
      case 'updateIf': {
        const expected = statement === 'updateIf' ? isExpected(6) : null
        return updateSql(admitted(), {
          expected,
          choice: updateChoice(table, action, sees, values),
        })
      }
    }
  }
  return { text: text(), values }
}

/** The row must be within the grant before the update and after it. */
function updateChoice(
  table: TableDefinition,
  action: Grants,
  sees: Grants,
  values: unknown[],
): UpdateChoice {
  const [before, after] = [fieldsOfRow(table, 'o'), fieldsOfNext(table)]
  const admits = choiceSql(
    action,
    'n',
    (grant) => `${admitsSql(grant, before, values)} and ${admitsSql(grant, after, values)}`,
  )
  const seen = sees === null ? 'true' : anyAdmitsSql(sees, before, values)
  return { admits, writesAlways: `(${seen}) is not true` }
}

function choiceSql(action: Grants, row: string, test: (grant: Grant) => string): string {
  if (action === null) return 'true'
  if (action.length === 0) return 'false'
  const cases = action.map((grant, index) => `when ${index} then ${test(grant)}`)
  return `case ${row}."Grant" ${cases.join(' ')} end`
}

/** The fields of a candidate of an update, in the names of `updateSql`. */
function fieldsOfNext({ columns }: TableDefinition): FieldSql {
  return new Map([
    ['id', `n.${quoteIdent('id')}`],
    ['createdAt', `o.${quoteIdent('createdAt')}`],
    ['updatedAt', 'n.at'],
    ...columns.map(({ name }, index): [string, string] => [name, `n.c${index}`]),
  ])
}
