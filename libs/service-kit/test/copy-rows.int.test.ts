import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { TcpProxy } from '@surehook/testing/tcp-proxy'
import type { Pool } from 'pg'
import type { Column } from '../src/postgres/binary-values.ts'
import { copyRows } from '../src/postgres/copy-rows.ts'
import { openPool } from '../src/postgres/pool.ts'
import { createLogger } from '../src/telemetry/log.ts'

const url = process.env['TEST_DATABASE_URL'] ?? ''
const log = createLogger('copy-rows', 'silent')
const columns: readonly Column<number>[] = [{ name: 'n', type: 'integer', valueOf: (n) => n }]

let link: TcpProxy
let pool: Pool
beforeEach(async () => {
  link = await TcpProxy.openTo(url)
  const connectionString = link.urlOf(url)
  // A client gives up 2 s after the server would.
  pool = openPool({ connectionString, applicationName: 'test', statementTimeoutMs: 100, log })
})
afterEach(async () => {
  await pool.end()
  await link[Symbol.asyncDispose]()
})

it('survives a server that answers after the copy has timed out', async () => {
  const client = await pool.connect()
  await client.query('create temporary table counted (n integer)')
  link.set({ kind: 'drop' })
  await expect(copyRows(client, 'counted', columns, [1, 2])).rejects.toThrow('Query read timeout')
  const next = client.query('select count(*)::integer as rows from counted')
  link.set({ kind: 'pass' })
  expect((await next).rows).toEqual([{ rows: 0 }])
  client.release()
})

it('leaves the connection usable after values that it cannot encode', async () => {
  const client = await pool.connect()
  await client.query('create temporary table counted (n integer)')
  await expect(copyRows(client, 'counted', columns, [2 ** 40])).rejects.toThrow('out of range')
  await copyRows(client, 'counted', columns, [1, 2])
  const { rows } = await client.query('select sum(n)::integer as sum from counted')
  expect(rows).toEqual([{ sum: 3 }])
  client.release()
})
