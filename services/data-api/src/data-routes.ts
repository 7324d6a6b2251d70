import { pointsOfList } from '@surehook/access/limits/request-limits'
import { createTenantSlots, type TenantSlots } from '@surehook/access/limits/tenant-slots'
import type { PlatformAccess } from '@surehook/access/management-access'
import { maxPublishedChanges, publishChanges } from '@surehook/contracts/http/data/changes'
import {
  createRecords,
  dataGraphQL,
  deleteRecord,
  getRecord,
  listRecords,
  updateRecord,
} from '@surehook/contracts/http/data/data'
import { deleteTable, getTable, listTables, putTable } from '@surehook/contracts/http/data/tables'
import type { Operation } from '@surehook/contracts/operation'
import { mountGraphQL } from '@surehook/service-kit/graphql/mount-graphql'
import {
  type Handle,
  mount,
  Reply,
  rawJson,
  refuseOtherMethods,
} from '@surehook/service-kit/http/mount'
import type { RequestContext } from '@surehook/service-kit/http/request/request-context'
import { connectTimeoutMs } from '@surehook/service-kit/postgres/pool'
import { Router } from 'express'
import type { Pool } from 'pg'
import {
  type Authorize,
  type Authorizers,
  type Caller,
  type Charge,
  requireEnvironment,
} from './authorization/authorize.ts'
import { createDataGraphQL } from './graphql/data-graphql.ts'
import { createSchemaCache } from './graphql/schema-cache.ts'
import { createPublishing } from './publishing/publish-changes.ts'
import { readChanges } from './publishing/read-changes.ts'
import { etagOf, type StoredRecord } from './records/preconditions.ts'
import { createRecordApi, type RecordApi, type RecordCall } from './records/record-api.ts'
import { createSharedGets } from './records/sql/shared-gets.ts'
import { createSharedInserts } from './records/write/shared-inserts.ts'
import { dropTable } from './tables/ddl/drop-table.ts'
import { putTable as put } from './tables/put-table.ts'
import { listTableViews, requireTable } from './tables/read-tables.ts'
import { createTableCache, type TableCache } from './tables/table-cache.ts'
import { tableView } from './tables/table-view.ts'

export type DataRoutesDeps = {
  pool: Pool
  /** Resolves once the changes of tables before this call are on the topic. */
  relayed: () => Promise<void>
  tables: TableCache
  access: PlatformAccess
  authorizers: Authorizers
  /** Counts what makes a request dearer than others. */
  charge: Charge
}

type ServeOptions = { on?: Router; enter?: TenantSlots['run'] }

type Serve = <Op extends Operation>(operation: Op, handle: Handle<Op, Caller>) => void

export function dataRoutes(deps: DataRoutesDeps): (router: Router) => void {
  const { access, authorizers, pool } = deps
  const api = createRecordApi(deps)
  const perTenant = Math.max(1, Math.floor(pool.options.max / 2))
  const slots = createTenantSlots({ perTenant, maxWaitMs: connectTimeoutMs })
  return (router) => {
    const serveTo =
      (who: Authorize, { on = router, enter = slots.run }: ServeOptions = {}): Serve =>
      (operation, handle) =>
        mount(on, operation, {
          authorize: who,
          async handle(input, ctx) {
            await requireEnvironment(access, ctx.auth.tenant)
            return enter(ctx.auth.tenant, async () => handle(input, ctx))
          },
        })
    const enter: TenantSlots['run'] = async (_tenant, work) => work()
    // Mounted before the records and for all methods, because `_tables` is no table name.
    const reserved = Router({ caseSensitive: true })
    tableRoutes(serveTo(authorizers.tables, { on: reserved }), deps)
    changesRoute(serveTo(authorizers.tables, { on: reserved, enter }), deps, slots)
    refuseOtherMethods(reserved)
    router.use(reserved)
    recordRoutes(serveTo(authorizers.records), api)
    const sharing = serveTo(authorizers.records, { enter })
    sharingRoutes(sharing, { ...deps, api, sharing: sharingApi(pool, slots), slots })
    graphqlRoute(router, { ...deps, api, slots })
  }
}

/** Every GraphQL request reads the schema, and has one field. */
const enteredByEach = 2

/** Further fields of a GraphQL request weigh as much as further requests. */
function graphqlRoute(
  router: Router,
  deps: DataRoutesDeps & { api: RecordApi; slots: TenantSlots },
): void {
  const { access, authorizers, pool, api, slots, charge } = deps
  const graphql = createDataGraphQL({ schemas: createSchemaCache(pool) })
  mountGraphQL(router, dataGraphQL, {
    authorize: authorizers.records,
    async execute({ headers, body }, call) {
      const { auth, log } = call
      let entered = 0
      const enter = async <T>(work: () => Promise<T>) => {
        entered++
        if (entered > enteredByEach) await charge(call, auth, 1)
        return slots.run(auth.tenant, work)
      }
      const create: RecordApi['create'] = async (of, table, input) => {
        await chargeList(charge, call, input)
        return api.create(of, table, input)
      }
      await requireEnvironment(access, auth.tenant)
      const own = { log, enter, api: { ...api, create } }
      return graphql.execute(body, { ...keyed(call, headers), ...own })
    },
  })
}

function tableRoutes(serve: Serve, { pool, relayed }: DataRoutesDeps): void {
  serve(putTable, async ({ params, body }, { auth: { tenant } }) => {
    const table = await put(pool, { tenant, name: params.table, input: body })
    await relayed()
    return tableView(table)
  })
  serve(listTables, async (_input, { auth: { tenant } }) => ({
    tables: await listTableViews(pool, tenant),
  }))
  serve(getTable, async ({ params }, { auth: { tenant } }) =>
    tableView(await requireTable(pool, tenant, params.table)),
  )
  serve(deleteTable, async ({ params }, { auth: { tenant } }) => {
    await dropTable(pool, tenant, params.table)
    await relayed()
  })
}

type AuthorizedContext = RequestContext & { readonly auth: Caller }

/** Every request weighs 1 point, which its authorisation took. A long list weighs more. */
async function chargeList(charge: Charge, call: AuthorizedContext, body: unknown): Promise<void> {
  // A longer list is refused, so that it does no work.
  const items = Array.isArray(body) ? Math.min(body.length, maxPublishedChanges) : 1
  const more = pointsOfList(items) - 1
  if (more > 0) await charge(call, call.auth, more)
}

/** Statements take the slots, as those of new records: its requests share them. */
function changesRoute(serve: Serve, { pool, charge }: DataRoutesDeps, slots: TenantSlots): void {
  const publish = createPublishing({ pool, slots, maxWaitMs: connectTimeoutMs })
  serve(publishChanges, async ({ body }, call) => {
    const { req, auth, requestId, traceparent } = call
    await chargeList(charge, call, body)
    const changes = readChanges({ headers: req.headers, body })
    return {
      ids: await publish({ tenant: auth.tenant, origin: { requestId, traceparent } }, changes),
    }
  })
}

/**
 * A record API whose statements, rather than requests, take slots: its requests share
 * statements.
 */
function sharingApi(pool: Pool, { run: enter }: TenantSlots): RecordApi {
  const waiting = { enter, maxWaitMs: connectTimeoutMs }
  return createRecordApi({
    pool,
    tables: createTableCache(pool, { enter }),
    inserts: createSharedInserts(pool, waiting),
    gets: createSharedGets(pool, waiting),
  })
}

type SharingDeps = { api: RecordApi; sharing: RecordApi; slots: TenantSlots; charge: Charge }

function sharingRoutes(serve: Serve, { api, sharing, slots, charge }: SharingDeps): void {
  serve(createRecords, async ({ params, headers, body }, call) => {
    await chargeList(charge, call, body)
    const create = (by: RecordApi) => by.create(keyed(call, headers), params.table, body)
    const shares = !Array.isArray(body) && headers['idempotency-key'] === undefined
    const records = await (shares
      ? create(sharing)
      : slots.run(call.auth.tenant, () => create(api)))
    if (Array.isArray(body)) return rawJson(`[${records.map(({ text }) => text).join(',')}]`)
    return one(records[0])
  })
  serve(getRecord, async ({ params, headers }, call) =>
    // `mount` handles If-None-Match.
    one(await sharing.get(call, { ...params, preconditions: { ifMatch: headers['if-match'] } })),
  )
}

function recordRoutes(serve: Serve, api: RecordApi): void {
  serve(listRecords, async ({ params, query }, call) => {
    const { records, nextCursor } = await api.list(call, params.table, query)
    return rawJson(`{"records":[${records.join(',')}],"nextCursor":${JSON.stringify(nextCursor)}}`)
  })
  serve(updateRecord, async ({ params, headers, body }, call) => {
    const target = { ...params, preconditions: preconditionsOf(headers) }
    return one(await api.update(keyed(call, headers), target, body))
  })
  serve(deleteRecord, async ({ params, headers }, call) => {
    const target = { ...params, preconditions: preconditionsOf(headers) }
    const { text } = await api.delete(keyed(call, headers), target)
    return rawJson(text)
  })
}

const keyed = (
  { auth, requestId, traceparent }: RecordCall,
  headers: { 'idempotency-key'?: string | undefined },
): RecordCall => ({ auth, requestId, traceparent, idempotencyKey: headers['idempotency-key'] })

const preconditionsOf = (headers: {
  'if-match'?: string | undefined
  'if-none-match'?: string | undefined
}) => ({ ifMatch: headers['if-match'], ifNoneMatch: headers['if-none-match'] })

function one(record: StoredRecord | undefined): Reply {
  if (record === undefined) throw new Error('one record was written and none came back')
  return new Reply(rawJson(record.text), { ETag: etagOf(record) })
}
