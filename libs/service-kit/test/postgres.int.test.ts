import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals'
import {
  type MigrateOptions,
  migrateAll,
  migrateService,
  serviceDatabaseUrl,
  servicePassword,
} from '@surehook/service-kit/postgres/migrate'
import { inTransaction, openPool } from '@surehook/service-kit/postgres/pool'
import { toUnavailable } from '@surehook/service-kit/unavailable'
import { createDatabase, query, silent, type TestDatabase } from '@surehook/testing/database'
import { Client } from 'pg'
import { slotOf } from '../src/postgres/capture-slot.ts'

const migrationsDir = `${import.meta.dirname}/fixtures/migrations`
const key = Buffer.alloc(32, 7)
let database: TestDatabase

beforeAll(async () => {
  database = await createDatabase()
})
afterAll(async () => {
  await database[Symbol.asyncDispose]()
})

// Roles belong to the cluster. Unique names leave those of a running system alone.
const nameOf = (service: string) => `kit-${service}-${database.suffix}`

function options(service: string, more: Partial<MigrateOptions> = {}): MigrateOptions {
  const name = nameOf(service)
  const rolePassword = servicePassword(key, name)
  return {
    adminUrl: database.url,
    service: name,
    migrationsDir,
    rolePassword,
    log: silent,
    ...more,
  }
}
const urlOf = (service: string) =>
  serviceDatabaseUrl(database.url, nameOf(service), servicePassword(key, nameOf(service)))

describe('migrateService', () => {
  it('runs each migration once, with the role that owns the schema', async () => {
    await migrateService(options('notes'))
    await migrateService(options('notes'))

    await query(urlOf('notes'), `insert into note (id, body, author) values (1, 'a', 'b')`)
    const [applied] = await query(urlOf('notes'), 'select count(*)::int from schema_migrations')
    expect(applied).toEqual({ count: 2 })
  })

  it('can run concurrently', async () => {
    await Promise.all([1, 2, 3].map(() => migrateService(options('racing'))))
    expect(await query(urlOf('racing'), 'select id from note')).toEqual([])
  })

  it('gives a service its own schema and no access to others', async () => {
    await Promise.all([migrateService(options('own')), migrateService(options('other'))])

    const other = nameOf('other').replaceAll('-', '_')
    await expect(query(urlOf('own'), `select * from ${other}.note`)).rejects.toThrow(
      `permission denied for schema ${other}`,
    )
    await expect(query(urlOf('own'), 'create schema more')).rejects.toThrow('permission denied')
    await expect(query(urlOf('own'), 'create table public.more ()')).rejects.toThrow(
      'permission denied',
    )
  })

  it('ends every session of the role that stays idle in a transaction', async () => {
    await migrateService(options('idle'))
    const [shown] = await query(urlOf('idle'), 'show idle_in_transaction_session_timeout')
    expect(shown).toEqual({ idle_in_transaction_session_timeout: '30s' })
  })

  it('lets only a service with mayCreateSchemas create schemas', async () => {
    await migrateService(options('maker', { mayCreateSchemas: true }))
    await query(urlOf('maker'), 'create schema made_by_maker')

    await migrateService(options('maker'))
    await expect(query(urlOf('maker'), 'create schema one_more')).rejects.toThrow(
      'permission denied',
    )
  })

  it('changes the password of a role that exists', async () => {
    await migrateService(options('rekeyed', { rolePassword: 'first' }))
    await migrateService(options('rekeyed'))
    await expect(query(urlOf('rekeyed'), 'select 1 as one')).resolves.toEqual([{ one: 1 }])
  })

  it('does not send the password to the server, and lets the role log in only with it', async () => {
    const sent = jest.spyOn(Client.prototype, 'query')
    const password = `\u2168-${randomUUID()}`
    await migrateService(options('unheard', { rolePassword: password }))
    const statements = sent.mock.calls.map(([statement]) => JSON.stringify(statement))
    sent.mockRestore()

    expect(statements).toContainEqual(expect.stringMatching(/create role .* password 'SCRAM-SHA/))
    const heard = statements.filter((one) => one.includes(password.slice(2)))
    expect(heard).toEqual([])

    const as = (given: string) => serviceDatabaseUrl(database.url, nameOf('unheard'), given)
    await expect(query(as(password), 'select 1 as one')).resolves.toEqual([{ one: 1 }])
    await expect(query(as('another'), 'select')).rejects.toThrow('password authentication failed')
  })

  it('rolls back migrations that fail', async () => {
    const broken = options('broken', { migrationsDir: `${import.meta.dirname}/fixtures/broken` })
    await expect(migrateService(broken)).rejects.toThrow('no_such_table')
    await expect(query(urlOf('broken'), 'select from first')).rejects.toThrow('does not exist')
  })

  it('returns the URL of every service it migrated', async () => {
    const [one, two] = [nameOf('all-one'), nameOf('all-two')]
    const urls = await migrateAll({
      adminUrl: database.url,
      keyEncryptionKey: key,
      services: [
        { service: one, migrationsDir },
        { service: two, migrationsDir, captures: true },
      ],
      log: silent,
    })
    expect(Object.keys(urls)).toEqual([one, two])
    expect(await query(urls[two] ?? '', 'select current_schema as at')).toEqual([
      { at: two.replaceAll('-', '_') },
    ])
  })
})

describe('the capture slot', () => {
  const slots = (slot: string) =>
    query(
      database.url,
      `select plugin, database = current_database() as here, failover
         from pg_replication_slots where slot_name = $1`,
      [slot],
    )

  it('is created with the schema and failover, and kept', async () => {
    await migrateService(options('captured', { captures: true }))
    await migrateService(options('captured', { captures: true }))
    expect(await slots(slotOf(nameOf('captured')))).toEqual([
      { plugin: 'pgoutput', here: true, failover: true },
    ])
  })

  it('is never recreated once it is lost', async () => {
    const lossy = options('lossy', { captures: true })
    await migrateService(lossy)
    const slot = slotOf(lossy.service)
    await query(database.url, 'select pg_drop_replication_slot($1)', [slot])

    await expect(migrateService(lossy)).rejects.toThrow(
      /^capture slot surehook_kit_lossy_\w+ was lost: changes since \d{4}-\S+Z may be missing; see docs\/operate\/recover-a-lost-slot\.md$/,
    )
    expect(await slots(slot)).toEqual([])

    // The recovery steps: delete the record of the slot, then migrate to create a new one.
    await query(urlOf('lossy'), 'delete from capture_slot')
    await migrateService(lossy)
    expect(await slots(slot)).toHaveLength(1)
  })

  it('of another database is refused', async () => {
    await using elsewhere = await createDatabase()
    const slot = `taken_${database.suffix}`
    await query(elsewhere.url, `select pg_create_logical_replication_slot($1, 'pgoutput')`, [slot])
    await expect(migrateService(options('guest', { captures: true, slot }))).rejects.toThrow(
      'belongs to another database',
    )
  })
})

describe('openPool', () => {
  const open = (connectionString: string, statementTimeoutMs = 10_000) =>
    openPool({
      connectionString,
      applicationName: 'kit-test',
      max: 2,
      statementTimeoutMs,
      log: silent,
    })

  it('commits what succeeded and rolls back what failed', async () => {
    await migrateService(options('tx'))
    await using stack = new AsyncDisposableStack()
    const pool = stack.adopt(open(urlOf('tx')), (opened) => opened.end())
    await inTransaction(pool, (tx) => tx.query(`insert into note (id, body) values (1, 'kept')`))
    const failed = inTransaction(pool, async (tx) => {
      await tx.query(`insert into note (id, body) values (2, 'gone')`)
      throw new Error('changed my mind')
    })
    await expect(failed).rejects.toThrow('changed my mind')
    expect((await pool.query('select id from note')).rows).toEqual([{ id: '1' }])
  })

  it('survives the loss of its connections, and reports an unreachable database', async () => {
    await using stack = new AsyncDisposableStack()
    const pool = stack.adopt(open(database.url), (opened) => opened.end())
    const killed = pool.query(`select pg_terminate_backend(pg_backend_pid()), pg_sleep(5)`)
    const err: unknown = await killed.catch((thrown: unknown) => thrown)
    expect(toUnavailable(err)).toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterS: 1 })
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  })

  it('survives the loss of a connection between two statements of a transaction', async () => {
    await using stack = new AsyncDisposableStack()
    const pool = stack.adopt(open(database.url), (opened) => opened.end())
    const broken = inTransaction(pool, async (tx) => {
      const { rows } = await tx.query<{ pid: number }>('select pg_backend_pid() as pid')
      // Not `events.once`, which also rejects on an error.
      const lost = new Promise((resolve) => tx.once('end', resolve))
      await pool.query('select pg_terminate_backend($1)', [rows[0]?.pid])
      await lost
      await tx.query('select 1')
    })
    const err: unknown = await broken.catch((thrown: unknown) => thrown)
    expect(toUnavailable(err)).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  })

  it('closes a connection and its cached plans after maxUses', async () => {
    const limits = { max: 1, maxUses: 3 }
    await using short = new AsyncDisposableStack()
    const pool = short.adopt(
      openPool({ connectionString: database.url, applicationName: 'kit', log: silent, ...limits }),
      (opened) => opened.end(),
    )
    const plans: number[] = []
    for (let n = 0; n < 6; n++) {
      await pool.query({ name: `plan-${n}`, text: `select ${n}` })
      const { rows } = await pool.query('select count(*)::int as plans from pg_prepared_statements')
      plans.push(rows[0].plans)
    }
    expect(Math.max(...plans)).toBeLessThanOrEqual(2)
  })

  it('ends a statement that takes too long', async () => {
    await using stack = new AsyncDisposableStack()
    const pool = stack.adopt(open(database.url, 50), (opened) => opened.end())
    const err: unknown = await pool.query('select pg_sleep(5)').catch((thrown: unknown) => thrown)
    expect(toUnavailable(err)).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  })

  it('times out for a server that accepts and does not answer', async () => {
    await using stack = new AsyncDisposableStack()
    const mute = stack.use(createServer((socket) => void socket.resume()).listen(0))
    await once(mute, 'listening')
    const address = mute.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    const pool = open(`postgres://a:b@127.0.0.1:${address.port}/c`)
    const err: unknown = await pool.query('select 1').catch((thrown: unknown) => thrown)
    expect(toUnavailable(err)).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  })

  it('reports a closed port as an unreachable database', async () => {
    const pool = open('postgres://a:b@127.0.0.1:1/c')
    const err: unknown = await pool.query('select 1').catch((thrown: unknown) => thrown)
    expect(toUnavailable(err)).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  })
})
