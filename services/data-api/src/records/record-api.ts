import { onlyReads } from '@surehook/access/users/only-reads'
import type { UserValuesOf } from '@surehook/access/users/user-values'
import type { AccessAction } from '@surehook/contracts/http/data/access'
import type { AccessExplanation } from '@surehook/contracts/http/data/explanation'
import type { RecordInput } from '@surehook/contracts/http/data/records'
import type { KeyedRequest } from '@surehook/service-kit/idempotency/once-per-key'
import { requestFingerprint } from '@surehook/service-kit/idempotency/request-fingerprint'
import type { Caller } from '../authorization/authorize.ts'
import { tablesFor } from '../authorization/table-access.ts'
import type { Preconditions, StoredRecord } from './preconditions.ts'
import { explainRecord } from './read/explain-record.ts'
import * as reads from './read/read-records.ts'
import type { ChangeOrigin } from './write/change-head.ts'
import * as writes from './write/write-records.ts'

/** The caller, and the request behind the call. */
export type RecordCall = ChangeOrigin & {
  readonly auth: Caller
  /** With a key, a repeated write takes effect once, over REST as over GraphQL. */
  readonly idempotencyKey?: string | undefined
}

export type OneRecord = {
  table: string
  id: string
  preconditions?: Preconditions | undefined
}

/** The operations on records that REST and GraphQL offer. */
export type RecordApi = {
  create(
    call: RecordCall,
    table: string,
    input: RecordInput | readonly RecordInput[],
  ): Promise<StoredRecord[]>
  list(call: RecordCall, table: string, query: reads.ListQuery): Promise<reads.RecordPage>
  get(call: RecordCall, one: OneRecord): Promise<StoredRecord>
  /** Explains what the user of the call may do with the record. */
  explain(call: RecordCall, one: OneRecord): Promise<AccessExplanation>
  update(call: RecordCall, one: OneRecord, input: RecordInput): Promise<StoredRecord>
  delete(call: RecordCall, one: OneRecord): Promise<StoredRecord>
}

export type RecordApiDeps = writes.RecordDeps & { users: UserValuesOf }

export function createRecordApi({ tables, users, ...deps }: RecordApiDeps): RecordApi {
  const as = ({ auth }: RecordCall, action: AccessAction) => {
    if (auth.onlyReads && action !== 'read') throw onlyReads()
    return { ...deps, tables: tablesFor(tables, users, { caller: auth, action }) }
  }
  return {
    create: (call, table, input) =>
      writes.createRecords(
        as(call, 'create'),
        { ...target(call, ['create', table, input]), table },
        input,
      ),
    list: (call, table, query) =>
      reads.listRecords(as(call, 'read'), { tenant: call.auth.tenant, table, query }),
    get: (call, one) => reads.getRecord(as(call, 'read'), { tenant: call.auth.tenant, ...one }),
    explain: ({ auth }, one) => explainRecord({ ...deps, tables, users }, { caller: auth, ...one }),
    update: (call, one, input) =>
      writes.changeRecord(
        as(call, 'update'),
        { ...target(call, ['update', one, input]), ...one },
        input,
      ),
    delete: (call, one) =>
      writes.deleteRecord(as(call, 'delete'), { ...target(call, ['delete', one]), ...one }),
  }
}

function target(call: RecordCall, request: readonly unknown[]) {
  const { auth, requestId, traceparent } = call
  const once =
    call.idempotencyKey === undefined ? undefined : keyed(call, call.idempotencyKey, request)
  return { tenant: auth.tenant, origin: { requestId, traceparent }, once }
}

function keyed({ auth }: RecordCall, key: string, request: readonly unknown[]): KeyedRequest {
  const { projectId, environment } = auth.tenant
  // An issuer may give its user the id of another caller.
  const issuer = auth.issued === undefined ? [] : [auth.issued.issuer]
  return {
    scope: [projectId, environment, auth.id, ...issuer],
    key,
    fingerprint: requestFingerprint(request),
  }
}
