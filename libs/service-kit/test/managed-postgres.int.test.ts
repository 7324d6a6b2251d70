import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { migrateService, serviceDatabaseUrl } from '@surehook/service-kit/postgres/migrate'
import { createDatabase, query, silent, type TestDatabase } from '@surehook/testing/database'
import { roleOf } from '../src/postgres/service-role.ts'

/** A database whose administrator owns it and is no superuser, as managed databases give one. */
let database: TestDatabase

const adminRole = () => `kit_${database.suffix}_admin`
const service = () => `kit-${database.suffix}`
const password = randomUUID()

beforeEach(async () => {
  database = await createDatabase()
})
afterEach(async () => {
  await database[Symbol.asyncDispose]()
  for (const role of [roleOf(service()), 'rds_replication', adminRole()]) {
    await asSuperuser(`drop role if exists ${role}`)
  }
})

/** Also when the test's own database is gone. */
const asSuperuser = (sql: string, values: unknown[] = []) =>
  query(Object.assign(new URL(database.url), { pathname: '/postgres' }).href, sql, values)

async function beAdministrator(rights: string): Promise<void> {
  await asSuperuser(`create role ${adminRole()} login ${rights} password '${password}'`)
  await asSuperuser(`alter database kit_${database.suffix} owner to ${adminRole()}`)
}

function migrate(rolePassword: string = password): Promise<void> {
  const url = Object.assign(new URL(database.url), { username: adminRole(), password })
  return migrateService({
    adminUrl: url.href,
    service: service(),
    migrationsDir: `${import.meta.dirname}/fixtures/migrations`,
    captures: true,
    mayCreateSchemas: true,
    rolePassword,
    log: silent,
  })
}

it('migrates with the attribute REPLICATION, as on Cloud SQL, and may repeat it', async () => {
  await beAdministrator('createrole replication')
  await migrate()
  await migrate('another')
  const url = serviceDatabaseUrl(database.url, service(), 'another')
  await expect(query(url, 'select id from note')).resolves.toEqual([])
})

it('grants rds_replication where the role exists, as on Amazon RDS', async () => {
  await beAdministrator('createrole')
  await asSuperuser('create role rds_replication')
  await asSuperuser(`grant rds_replication to ${adminRole()} with admin option`)
  // Outside RDS the membership gives no right, so the slot is refused until the role has it.
  await expect(migrate()).rejects.toThrow('permission denied to use replication slots')
  const role = roleOf(service())
  const [found] = await asSuperuser(
    `select pg_has_role($1, 'rds_replication', 'member') as member, rolreplication as replicates
       from pg_roles where rolname = $1`,
    [role],
  )
  expect(found).toEqual({ member: true, replicates: false })
  await asSuperuser(`alter role ${role} replication`)
  await expect(migrate()).resolves.toBeUndefined()
})
