import { valuesOf } from '@surehook/access/users/rule-values'
import type { UserValuesOf } from '@surehook/access/users/user-values'
import type { AccessExplanation } from '@surehook/contracts/http/data/explanation'
import type { Caller } from '../../authorization/authorize.ts'
import { explainActions } from '../../authorization/explain-access.ts'
import { isUuid } from '../../values/text-value.ts'
import { type RuledCall, runStatement } from '../sql/run-statement.ts'
import { type RecordDeps, recordNotFound } from '../write/write-records.ts'

type RecordAccess = { caller: Caller; table: string; id: string }

/** Reads a record without the limits of the user, and explains what the user may do with it. */
export async function explainRecord(
  { pool, tables, users, enter }: RecordDeps & { users: UserValuesOf },
  { caller, table: name, id }: RecordAccess,
): Promise<AccessExplanation> {
  const { tenant, id: userId, roles } = caller
  if (roles === null) throw new Error('an explanation is about a user')
  const found = await tables.use(tenant, name, async (known) => {
    if (!isUuid(id)) return null
    const call: RuledCall = { statement: 'get', values: [[id]] }
    const [text] = await enter(tenant, () => runStatement(pool, known, call))
    return text === undefined ? null : { text, table: known.definition }
  })
  if (found === null) throw recordNotFound()
  const { text, table } = found
  const { read, update, delete: deletion } = table.access
  const valueOf = await valuesOf(users, { tenant, id: userId, roles }, [
    ...read,
    ...update,
    ...deletion,
  ])
  const record = JSON.parse(text) as Record<string, unknown>
  return {
    ...{ recordId: String(record['id']), userId, roles: [...roles] },
    ...explainActions({ table, record, roles, valueOf }),
  }
}
