import { createLogger } from '@surehook/service-kit/log'
import { openPool } from '@surehook/service-kit/postgres/pool'
import { openTestDatabase } from '@surehook/service-kit/testing/test-database'
import { changeRecord, createRecords, deleteRecord } from './src/records/write-records.ts'
import { putTable } from './src/tables/put-table.ts'
import { createTableCache } from './src/tables/table-cache.ts'

const log = createLogger('x', 'warn')
await using db = await openTestDatabase({
  adminUrl: process.env.TEST_DATABASE_URL!,
  service: {
    service: 'data-api',
    migrationsDir: 'services/data-api/migrations',
    captures: true,
    mayCreateSchemas: true,
  },
  keyEncryptionKey: Buffer.alloc(32),
  log,
})
const pool = openPool({ connectionString: db.databaseUrl, applicationName: 'x', max: 16, log })
const tables = createTableCache(pool)
const tenant = { projectId: 'p', environment: 'master' }
const deps = { pool, tables }
try {
  const t = await putTable(pool, {
    tenant,
    name: 'orders',
    input: {
      columns: [
        { name: 'name', type: 'text', required: true, unique: true },
        { name: 'n', type: 'integer', default: 5 },
        { name: 'b', type: 'bigint' },
        { name: 'd', type: 'decimal' },
        { name: 'dd', type: 'double' },
        { name: 'ok', type: 'boolean' },
        { name: 'at', type: 'timestamp' },
        { name: 'day', type: 'date' },
        { name: 'u', type: 'uuid' },
        { name: 'j', type: 'json' },
      ],
    },
  })
  console.log(t)
  const origin = { requestId: 'r', traceparent: null }
  const target = { tenant, table: 'orders', origin }
  console.log(
    await createRecords(deps, target, {
      name: 'a',
      b: '9007199254740993',
      d: '1.10',
      dd: 1e21,
      ok: true,
      at: '2026-02-03T04:05:06.789+02:00',
      day: '2026-02-03',
      u: 'AAAAAAAA-0000-4000-8000-000000000000',
      j: { x: [1, null, 'é"\\'] },
    }),
  )
  const bulk = await createRecords(deps, target, [
    { name: 'b1' },
    { name: 'b2', n: null },
    { name: 'b3' },
  ])
  console.log(bulk)
  await createRecords(deps, target, [
    { name: 'b9' },
    { name: 'b2' },
    { name: 'b3' },
    { name: 'b9' },
  ]).catch((e) => console.log(e.code, e.violations))
  await createRecords(deps, target, { name: 'b2', zz: 1, n: 'x', id: 1 }).catch((e) =>
    console.log(e.code, e.violations),
  )
  await createRecords(deps, target, { name: 'b2' }).catch((e) => console.log(e.code, e.violations))
  const id = JSON.parse(bulk[0]!).id
  console.log(await changeRecord(deps, { ...target, id }, { n: 7, j: [1], d: '3' }))
  console.log(await changeRecord(deps, { ...target, id }, { n: 7, j: [1], d: '3' }))
  console.log(await changeRecord(deps, { ...target, id }, {}))
  await Promise.all(
    Array.from({ length: 50 }, (_, i) =>
      changeRecord(deps, { ...target, id }, i % 2 ? { n: i } : { b: String(i), dd: i }),
    ),
  )
  console.log(await deleteRecord(deps, { ...target, id }))
  await deleteRecord(deps, { ...target, id }).catch((e) => console.log(e.code, e.violations))
  await createRecords(deps, target, { name: 'big', j: 'x'.repeat(262144) }).catch((e) =>
    console.log(e.code),
  )
  const { rows } = await pool.query(
    `select lsn, data from pg_logical_slot_get_binary_changes('${db.slot}', null, null, 'proto_version', '1', 'publication_names', 'surehook_capture', 'messages', 'true')`,
  )
  let prev: any = null
  for (const { data } of rows) {
    const s = data.toString()
    if (!s.startsWith('M')) continue
    const c = s.slice(s.indexOf('{'))
    const [h, r] = c.split('\n')
    const H = JSON.parse(h),
      R = JSON.parse(r)
    if (H.recordId === id) {
      if (prev && H.operation === 'UPDATE') {
        const diff = Object.keys(R).filter(
          (k) => k !== 'updatedAt' && JSON.stringify(R[k]) !== JSON.stringify(prev[k]),
        )
        if (
          diff.sort().join() !== [...H.changedFields].sort().join() ||
          R.updatedAt !== H.timestamp ||
          R.updatedAt <= prev.updatedAt
        )
          console.log('BAD', diff, H, prev.updatedAt)
      }
      prev = R
    } else console.log(h, r.slice(0, 100))
  }
  console.log(rows.length, prev)
  const bench = async (n: number, conc: number) => {
    let i = 0
    const t0 = performance.now()
    await Promise.all(
      Array.from({ length: conc }, async () => {
        while (i++ < n)
          await createRecords(deps, target, {
            name: 'x' + i + Math.random(),
            j: { text: 'y'.repeat(300) },
            n: i,
          })
      }),
    )
    console.log('inserts/s', conc, n / ((performance.now() - t0) / 1000))
  }
  await bench(2000, 16)
  await bench(6000, 16)
  await bench(1000, 1)
} finally {
  await pool.end()
}
