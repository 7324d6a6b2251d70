import { AppError } from '@surehook/service-kit/errors'
import { DatabaseError, type Pool } from 'pg'
import type { Tenant } from '../table-definition.ts'
import type { NewEvent } from './new-event.ts'

/** The SQLSTATE that `publish_change` raises. */
const refusedState = 'SH409'

/**
 * Keeps the ids and emits the changes in the order of the arrays, all or none. A known id emits
 * nothing. Requests with the same id wait for each other at the unique index. Ids are inserted in
 * one order, so two batches never deadlock.
 */
const sql = `
with input as materialized (
  select i.*, row_number() over (partition by i.id order by i.place) = 1 as is_first
    from unnest($3::uuid[], $4::bytea[], $5::text[], $6::text[], $7::text[], $8::text[])
         with ordinality as i(id, fingerprint, table_name, head, at, record, place)
),
kept as (
  insert into published_change as known (project_id, environment, id, fingerprint)
  select $1, $2, i.id, i.fingerprint from input i where i.is_first order by i.id
  on conflict (project_id, environment, id) do update set repetitions = known.repetitions + 1
  returning known.id, known.fingerprint, known.repetitions = 0 as is_new
),
judged as (
  select i.*, k.is_new and i.is_first as is_new,
         case when k.fingerprint <> i.fingerprint then 'id'
              when k.is_new then (
                select case when d.source is null then 'table' else 'source' end
                  from table_definition d
                 where d.project_id = $1 and d.environment = $2 and d.name = i.table_name)
              end as fault
    from input i join kept k on k.id = i.id
   order by i.place
  offset 0
)
select publish_change(j.place, j.fault, j.is_new, j.head, j.at, j.record) as is_new from judged j`

/** PostgreSQL refused the change at this index of `events`. */
export class RefusedChangeError extends Error {
  override readonly name = 'RefusedChangeError'
  readonly index: number
  readonly refusal: Refusal

  constructor(index: number, refusal: Refusal, cause: unknown) {
    super(`The change ${index} was refused for its ${refusal}`, { cause })
    this.index = index
    this.refusal = refusal
  }

  get field(): 'id' | 'table' {
    return refusals[this.refusal].field
  }
}

type Refusal = keyof typeof refusals

const refusals = {
  id: {
    field: 'id',
    says: 'The id was used for another change',
    message: 'was used for another change',
    rule: 'already_used',
  },
  table: {
    field: 'table',
    says: 'The table belongs to the data API',
    message: 'is a table of the data API, which publishes its changes itself',
    rule: 'table_owned',
  },
  source: {
    field: 'table',
    says: 'The table belongs to a source',
    message: 'is a table of a source, whose changes are captured',
    rule: 'table_owned',
  },
} as const

/** Returns the answer to the request. `name` is the field's name in the request. */
export function conflict({ refusal, cause }: RefusedChangeError, name: string): AppError {
  const { says, message, rule } = refusals[refusal]
  return new AppError('CONFLICT', says, { cause, violations: [{ field: name, message, rule }] })
}

/**
 * Resolves when the changes are durable. Rejects with `RefusedChangeError` if one has a conflict.
 */
export async function publishEvents(
  pool: Pool,
  { projectId, environment }: Tenant,
  events: readonly NewEvent[],
): Promise<void> {
  const column = <Name extends keyof NewEvent>(name: Name) => events.map((event) => event[name])
  const columns = [column('id'), column('fingerprint'), column('table'), column('head')]
  const values = [projectId, environment, ...columns, column('timestamp'), column('record')]
  try {
    await pool.query({ name: 'publish-changes', text: sql, values })
  } catch (err) {
    throw refusedBy(err) ?? err
  }
}

function refusedBy(err: unknown): RefusedChangeError | null {
  if (!(err instanceof DatabaseError) || err.code !== refusedState) return null
  const [position, fault] = err.detail?.split(' ') ?? []
  const refusal = fault === 'id' || fault === 'source' ? fault : 'table'
  return new RefusedChangeError(Number(position) - 1, refusal, err)
}
