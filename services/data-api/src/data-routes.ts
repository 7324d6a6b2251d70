import { pointsOfList } from '@surehook/access/limits/request-limits'
import type { TenantSlots } from '@surehook/access/limits/tenant-slots'
import type { PlatformAccess } from '@surehook/access/management-access'
import { asUserName } from '@surehook/contracts/http/data/as-user'
import { maxPublishedChanges, publishChanges } from '@surehook/contracts/http/data/changes'
import {
  createRecords,
  dataGraphQL,
  deleteRecord,
  getRecord,
  listRecords,
  updateRecord,
} from '@surehook/contracts/http/data/data'
import { explainAccess } from '@surehook/contracts/http/data/explanation'
import { sourceOf } from '@surehook/contracts/http/data/table-source'
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
import type { PublishChanges } from './publishing/publish-changes.ts'
import { readChanges } from './publishing/read-changes.ts'
import { etagOf, type StoredRecord } from './records/preconditions.ts'
import type { RecordApi, RecordCall } from './records/record-api.ts'
import type { RecordApis } from './records/record-apis.ts'
import { dropTable } from './tables/ddl/drop-table.ts'
import { putTable as put, putSourceTable } from './tables/put-table.ts'
import { listTableViews, requireTable } from './tables/read-tables.ts'
import { tableView } from './tables/table-view.ts'

export type DataRoutesDeps = {
  pool: Pool
  slots: TenantSlots
  /** Resolves once the changes of tables before this call are on the topic. */
  relayed: () => Promise<void>
  records: RecordApis
  publish: PublishChanges
  access: PlatformAccess
  authorizers: Authorizers
  /** Counts the points that a request costs beyond its first. */
  charge: Charge
}

type Serve = <Op extends Operation>(operation: Op, handle: Handle<Op, Caller>) => void

/** The two ways in which a request uses the slots of its project. */
type Serving = {
  /** The request holds one slot until it ends. */
  gated: Serve
  /** The request holds no slot. Its statements take slots, and requests share statements. */
  shared: Serve
}

export function dataRoutes(deps: DataRoutesDeps): (router: Router) => void {
  const { authorizers } = deps
  return (router) => {
    // Mounted before the records and for all methods, because `_tables` is no table name.
    const reserved = Router({ caseSensitive: true })
    const management = servingOn(reserved, authorizers.tables, deps)
    tableRoutes(management, deps)
    changesRoute(management, deps)
    refuseOtherMethods(reserved)
    router.use(reserved)
    recordRoutes(servingOn(router, authorizers.records, deps), deps)
    graphqlRoute(router, deps)
  }
}

function servingOn(
  router: Router,
  authorize: Authorize,
  { access, slots }: Pick<DataRoutesDeps, 'access' | 'slots'>,
): Serving {
  const serve =
    (run: TenantSlots['run']): Serve =>
    (operation, handle) =>
      mount(router, operation, {
        authorize,
        async handle(input, ctx) {
          await requireEnvironment(access, ctx.auth.tenant)
          return run(ctx.auth.tenant, async () => handle(input, ctx))
        },
      })
  return { gated: serve(slots.run), shared: serve(async (_tenant, work) => work()) }
}

/** The first point of a GraphQL request pays for two steps: reading the schema, and one field. */
const stepsOfFirstPoint = 2

/** Each further field of a GraphQL request costs as much as a further request. */
function graphqlRoute(router: Router, deps: DataRoutesDeps): void {
  const { access, authorizers, pool, records, slots, charge } = deps
  const graphql = createDataGraphQL({ schemas: createSchemaCache(pool) })
  mountGraphQL(router, dataGraphQL, {
    authorize: authorizers.records,
    async execute({ headers, body }, call) {
      const { auth, log } = call
      let steps = 0
      const enter = async <T>(work: () => Promise<T>) => {
        steps++
        if (steps > stepsOfFirstPoint) await charge(call, auth, 1)
        return slots.run(auth.tenant, work)
      }
      const create: RecordApi['create'] = async (of, table, input) => {
        await admitList(charge, call, input)
        return records.gated.create(of, table, input)
      }
      await requireEnvironment(access, auth.tenant)
      const nextTurn = () => call.nextTurn()
      const own = { log, enter, nextTurn, api: { ...records.gated, create } }
      return graphql.execute(body, { ...keyed(call, headers), ...own })
    },
  })
}

function tableRoutes({ gated: serve }: Serving, deps: DataRoutesDeps): void {
  const { pool, relayed, records } = deps
  serve(putTable, async ({ params, body }, { auth: { tenant } }) => {
    const of = { tenant, name: params.table }
    const { columns = [], access } = body
    const source = sourceOf(body)
    const table =
      source === null
        ? await put(pool, { ...of, input: { columns, access } })
        : await putSourceTable(pool, { ...of, source })
    await relayed()
    return tableView(table)
  })
  serve(listTables, async (_input, { auth: { tenant } }) => ({
    tables: await listTableViews(pool, tenant),
  }))
  serve(getTable, async ({ params }, { auth: { tenant } }) =>
    tableView(await requireTable(pool, tenant, params.table)),
  )
  serve(explainAccess, ({ params: { table }, query: { recordId: id } }, call) =>
    records.gated.explain(call, { table, id }),
  )
  serve(deleteTable, async ({ params }, { auth: { tenant } }) => {
    await dropTable(pool, tenant, params.table)
    await relayed()
  })
}

type AuthorizedContext = RequestContext & { readonly auth: Caller }

/**
 * Every request costs 1 point, which its authorisation took. A long list costs more, and waits for
 * its turn on the event loop.
 */
async function admitList(charge: Charge, call: AuthorizedContext, body: unknown): Promise<void> {
  // A longer list is refused, so that it does no work.
  const items = Array.isArray(body) ? Math.min(body.length, maxPublishedChanges) : 1
  const more = pointsOfList(items) - 1
  if (more === 0) return
  await charge(call, call.auth, more)
  await call.nextTurn()
}

function changesRoute({ shared }: Serving, { publish, charge }: DataRoutesDeps): void {
  shared(publishChanges, async ({ body }, call) => {
    const { req, auth, requestId, traceparent } = call
    await admitList(charge, call, body)
    const changes = readChanges({ headers: req.headers, body })
    return {
      ids: await publish({ tenant: auth.tenant, origin: { requestId, traceparent } }, changes),
    }
  })
}

function recordRoutes({ gated, shared }: Serving, { records, charge }: DataRoutesDeps): void {
  shared(createRecords, async ({ params, headers, body }, call) => {
    await admitList(charge, call, body)
    const created = await records.shared.create(keyed(call, headers), params.table, body)
    if (Array.isArray(body)) return rawJson(`[${created.map(({ text }) => text).join(',')}]`)
    return one(created[0])
  })
  shared(getRecord, async ({ params, headers }, call) => {
    // `mount` handles If-None-Match.
    const preconditions = { ifMatch: headers['if-match'] }
    return one(await records.shared.get(call, { ...params, preconditions }))
  })
  gated(listRecords, async ({ params, query }, call) => {
    const { records: texts, nextCursor } = await records.gated.list(call, params.table, query)
    return rawJson(`{"records":[${texts.join(',')}],"nextCursor":${JSON.stringify(nextCursor)}}`)
  })
  gated(updateRecord, async ({ params, headers, body }, call) => {
    const target = { ...params, preconditions: preconditionsOf(headers) }
    return one(await records.gated.update(keyed(call, headers), target, body))
  })
  gated(deleteRecord, async ({ params, headers }, call) => {
    const target = { ...params, preconditions: preconditionsOf(headers) }
    const { text } = await records.gated.delete(keyed(call, headers), target)
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

// The `ETag` tells states of the record apart, not callers, who may see other columns of the same
// state. A cache must not answer one with what it has of another.
const varies = `Authorization, ${asUserName}`

function one(record: StoredRecord | undefined): Reply {
  if (record === undefined) throw new Error('one record was written and none came back')
  return new Reply(rawJson(record.text), { ETag: etagOf(record), Vary: varies })
}
