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
import { authorize, requireEnvironment } from './authorize.ts'
import * as reads from './records/read-records.ts'
import * as writes from './records/write-records.ts'
import { dropTable } from './tables/drop-table.ts'
import { putTable as put } from './tables/put-table.ts'
import { listTableViews, requireTable } from './tables/read-tables.ts'
import type { TableCache } from './tables/table-cache.ts'
import type { Tenant } from './tables/table-definition.ts'
import { tableView } from './tables/table-view.ts'
import { createTenantGate } from './tenant-gate.ts'

export type DataRoutesDeps = { pool: Pool; tables: TableCache; access: PlatformAccess }

type Serve = <Op extends Operation>(operation: Op, handle: Handle<Op, Tenant>) => void

/** As long as anybody waits for a connection. */
const maxWaitMs = 3_000

export function dataRoutes(deps: DataRoutesDeps): (router: Router) => void {
  const { access, pool } = deps
  const maxInside = Math.max(1, Math.floor(pool.options.max / 2))
  const gate = createTenantGate({ maxInside, maxWaitMs })
  return (router) => {
    const serve: Serve = (operation, handle) =>
      mount(router, operation, {
        authorize: (ctx) => authorize(access, ctx),
        async handle(input, ctx) {
          await requireEnvironment(access, ctx.auth)
          return gate.pass(ctx.auth, () => handle(input, ctx))
        },
      })
    // Before the records: `_tables` is no table.
    tableRoutes(serve, deps)
    recordRoutes(serve, deps)
  }
}

function tableRoutes(serve: Serve, { pool }: DataRoutesDeps): void {
  serve(putTable, async ({ params, body }, { auth }) =>
    tableView(await put(pool, { tenant: auth, name: params.table, input: body })),
  )
  serve(listTables, async (_input, { auth }) => ({ tables: await listTableViews(pool, auth) }))
  serve(getTable, async ({ params }, { auth }) =>
    tableView(await requireTable(pool, auth, params.table)),
  )
  serve(deleteTable, ({ params }, { auth }) => dropTable(pool, auth, params.table))
}

function recordRoutes(serve: Serve, deps: DataRoutesDeps): void {
  serve(createRecords, async ({ params, body }, { auth, requestId, traceparent }) => {
    const target = { tenant: auth, table: params.table, origin: { requestId, traceparent } }
    const records = await writes.createRecords(deps, target, body)
    return rawJson(Array.isArray(body) ? `[${records.join(',')}]` : (records[0] ?? ''))
  })
  serve(listRecords, async ({ params, query }, { auth }) => {
    const list = { tenant: auth, table: params.table, query }
    const { records, nextCursor } = await reads.listRecords(deps, list)
    return rawJson(`{"records":[${records.join(',')}],"nextCursor":${JSON.stringify(nextCursor)}}`)
  })
  serve(getRecord, async ({ params }, { auth }) =>
    rawJson(await reads.getRecord(deps, { tenant: auth, ...params })),
  )
  serve(updateRecord, async ({ params, body }, { auth, requestId, traceparent }) => {
    const target = { tenant: auth, ...params, origin: { requestId, traceparent } }
    return rawJson(await writes.changeRecord(deps, target, body))
  })
  serve(deleteRecord, async ({ params }, { auth, requestId, traceparent }) => {
    const target = { tenant: auth, ...params, origin: { requestId, traceparent } }
    return rawJson(await writes.deleteRecord(deps, target))
  })
}
