import { captureSql } from '@surehook/change-capture/emit/capture'
import type { ChangeEvent, ChangeOperation } from '@surehook/contracts/events'
import { changeKey, newEventId } from '@surehook/contracts/ids'
import { changesTopic } from '@surehook/contracts/topics'
import type { PoolClient } from 'pg'
import type { User } from './user.ts'

/** The request behind a change. */
export type ChangeOrigin = Pick<ChangeEvent, 'requestId' | 'traceparent'>

/** What everybody may know who may see changes; these fields are the whole record. */
const publicFields = [
  'id',
  'email',
  'firstName',
  'lastName',
  'roles',
  'emailVerified',
  'disabled',
  'createdAt',
  'updatedAt',
] as const
type PublicField = (typeof publicFields)[number]

export type UserChange = {
  operation: ChangeOperation
  /** After the change; for DELETE as the user was just before. */
  user: Pick<User, PublicField | 'projectId' | 'environment'>
  changedFields?: readonly PublicField[]
  /** When: `updatedAt` unless it is a DELETE. */
  at?: Date
}

const source = 'auth-service'
const table = 'users'

const emitSql = `select ${captureSql(source, 'm.header', 'm.body')}
  from unnest($1::text[], $2::text[]) as m(header, body)`

/**
 * Puts changes into the WAL, in the transaction that makes them: the rows are locked by then, so that
 * the changes of one user are in the order of their commits.
 */
export async function emitUserChanges(
  tx: PoolClient,
  changes: readonly UserChange[],
  origin: ChangeOrigin,
): Promise<void> {
  const headers = changes.map((change) => JSON.stringify(headerOf(change, origin)))
  const bodies = changes.map(({ user }) => JSON.stringify(user, [...publicFields]))
  await tx.query(emitSql, [headers, bodies])
}

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
