import { captureSql } from '@surehook/change-capture/emit/capture'
import type { ChangeEvent, ChangeOperation } from '@surehook/contracts/events'
import { usersTable as table } from '@surehook/contracts/http/data/reserved-tables'
import { changeKey, newEventId } from '@surehook/contracts/ids'
import { changesTopic } from '@surehook/contracts/topics'
import type { PoolClient } from 'pg'
import type { User } from '../user.ts'

/** The request that caused a change. */
export type ChangeOrigin = Pick<ChangeEvent, 'requestId' | 'traceparent'>

/**
 * The record of a change event. Everyone who may read changes sees these fields, so no other field
 * may be added. Attributes are among them, as roles are: a receiver that keeps a copy of the users
 * needs both to decide what a user may see.
 */
const publicFields = [
  'id',
  'email',
  'firstName',
  'lastName',
  'roles',
  'emailVerified',
  'disabled',
  'attributes',
  'createdAt',
  'updatedAt',
] as const
type PublicField = (typeof publicFields)[number]

export type UserChange = {
  operation: ChangeOperation
  /** The user after the change, or just before a DELETE. */
  user: Pick<User, PublicField | 'projectId' | 'environment'>
  changedFields?: readonly PublicField[]
  /** The time of the change; `updatedAt` by default. Set it for a DELETE. */
  at?: Date
}

const source = 'auth-service'

const emitSql = `select ${captureSql(source, 'm.header', 'm.body')}
  from unnest($1::text[], $2::text[]) as m(header, body)`

/**
 * Writes changes to the WAL in the transaction that makes them. The rows are already locked, so the
 * changes of a user appear in the order of their commits.
 */
export async function emitUserChanges(
  tx: PoolClient,
  changes: readonly UserChange[],
  origin: ChangeOrigin,
): Promise<void> {
  const headers = changes.map((change) => JSON.stringify(headerOf(change, origin)))
  const bodies = changes.map(({ user }) => JSON.stringify(recordOf(user)))
  await tx.query(emitSql, [headers, bodies])
}

/** A list of names for `JSON.stringify` would also leave out the names of attributes. */
const recordOf = (user: UserChange['user']) =>
  Object.fromEntries(publicFields.map((name) => [name, user[name]]))

function headerOf({ operation, user, changedFields, at }: UserChange, origin: ChangeOrigin) {
  const { projectId, environment, id: recordId, updatedAt } = user
  const place = { projectId, environment, table, recordId }
  return {
    topic: changesTopic,
    key: changeKey(place),
    id: newEventId(),
    timestamp: (at ?? updatedAt).toISOString(),
    ...place,
    operation,
    changedFields: changedFields ?? [],
    requestId: origin.requestId,
    traceparent: origin.traceparent,
  }
}
