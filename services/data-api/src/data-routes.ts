import {
  createRecords,
  deleteRecord,
  deleteTable,
  getRecord,
  getTable,
  listRecords,
  listTables,
  putTable,
  updateRecord,
} from '@surehook/contracts/http/data'
import type { Operation } from '@surehook/contracts/operation'
import type { PlatformAccess } from '@surehook/service-kit/access/management-access'
import { type Handle, mount, rawJson } from '@surehook/service-kit/http/mount'
import type { Router } from 'express'
import type { Pool } from 'pg'
import {
  type Authorize,
  type Authorizers,
  type Caller,
  requireEnvironment,
} from './callers/authorize.ts'
import { type AccessAction, tablesFor } from './callers/table-access.ts'
import * as reads from './records/read-records.ts'
import * as writes from './records/write-records.ts'
import { dropTable } from './tables/drop-table.ts'
import { putTable as put } from './tables/put-table.ts'
import { listTableViews, requireTable } from './tables/read-tables.ts'
import type { TableCache } from './tables/table-cache.ts'
import { tableView } from './tables/table-view.ts'
import { createTenantGate } from './tenant-gate.ts'

export type DataRoutesDeps = {
  pool: Pool
  tables: TableCache
  access: PlatformAccess
  authorizers: Authorizers
}

type Serve = <Op extends Operation>(operation: Op, handle: Handle<Op, Caller>) => void

/** As long as anybody waits for a connection. */
const maxWaitMs = 3_000

export function dataRoutes(deps: DataRoutesDeps): (router: Router) => void {
  const { access, authorizers, pool } = deps
  const maxInside = Math.max(1, Math.floor(pool.options.max / 2))
  const gate = createTenantGate({ maxInside, maxWaitMs })
  return (router) => {
    const serveTo =
      (who: Authorize): Serve =>
      (operation, handle) =>
        mount(router, operation, {
          authorize: who,
          async handle(input, ctx) {
            await requireEnvironment(access, ctx.auth.tenant)
            return gate.pass(ctx.auth.tenant, () => handle(input, ctx))
          },
        })
    // Before the records: `_tables` is no table.
    tableRoutes(serveTo(authorizers.tables), deps)
    recordRoutes(serveTo(authorizers.records), deps)
  }
}

function tableRoutes(serve: Serve, { pool }: DataRoutesDeps): void {
  serve(putTable, async ({ params, body }, { auth: { tenant } }) =>
    tableView(await put(pool, { tenant, name: params.table, input: body })),
  )
  serve(listTables, async (_input, { auth: { tenant } }) => ({
    tables: await listTableViews(pool, tenant),
  }))
  serve(getTable, async ({ params }, { auth: { tenant } }) =>
    tableView(await requireTable(pool, tenant, params.table)),
  )
  serve(deleteTable, ({ params }, { auth: { tenant } }) => dropTable(pool, tenant, params.table))
}

function recordRoutes(serve: Serve, { pool, tables }: DataRoutesDeps): void {
  const as = (caller: Caller, action: AccessAction) => ({
    pool,
    tables: tablesFor(tables, caller, action),
  })
  serve(createRecords, async ({ params, body }, { auth, requestId, traceparent }) => {
    const origin = { requestId, traceparent }
    const target = { tenant: auth.tenant, table: params.table, origin }
    const records = await writes.createRecords(as(auth, 'create'), target, body)
    return rawJson(Array.isArray(body) ? `[${records.join(',')}]` : (records[0] ?? ''))
  })
  serve(listRecords, async ({ params, query }, { auth }) => {
    const list = { tenant: auth.tenant, table: params.table, query }
    const { records, nextCursor } = await reads.listRecords(as(auth, 'read'), list)
    return rawJson(`{"records":[${records.join(',')}],"nextCursor":${JSON.stringify(nextCursor)}}`)
  })
  serve(getRecord, async ({ params }, { auth }) =>
    rawJson(await reads.getRecord(as(auth, 'read'), { tenant: auth.tenant, ...params })),
  )
  serve(updateRecord, async ({ params, body }, { auth, requestId, traceparent }) => {
    const target = { tenant: auth.tenant, ...params, origin: { requestId, traceparent } }
    return rawJson(await writes.changeRecord(as(auth, 'update'), target, body))
  })
  serve(deleteRecord, async ({ params }, { auth, requestId, traceparent }) => {
    const target = { tenant: auth.tenant, ...params, origin: { requestId, traceparent } }
    return rawJson(await writes.deleteRecord(as(auth, 'delete'), target))
  })
}
