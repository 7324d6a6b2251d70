import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { pino } from 'pino'
import { until } from './until.ts'

export const silent = pino({ level: 'silent' })

export type TestDatabase = AsyncDisposable & { readonly url: string; readonly suffix: string }

/** Creates a separate database on the stack under test and drops it at the end. */
export async function createDatabase(): Promise<TestDatabase> {
  const adminUrl = process.env['TEST_DATABASE_URL']
  if (adminUrl === undefined) throw new Error('TEST_DATABASE_URL is not set')
  const suffix = randomBytes(6).toString('hex')
  const name = `kit_${suffix}`
  await query(adminUrl, `create database ${name}`)
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  return {
    url: url.href,
    suffix,
    async [Symbol.asyncDispose]() {
      await dropSlots(adminUrl, name)
      await query(adminUrl, `drop database ${name} with (force)`)
      // Drops service roles that a test named after its database.
      const roles = await query(adminUrl, 'select rolname from pg_roles where rolname like $1', [
        `%\\_${suffix}`,
      ])
      for (const { rolname } of roles) await query(adminUrl, `drop role ${String(rolname)}`)
    },
  }
}

/** Ends the readers of the slots first: the server drops no slot that is read. */
export async function dropSlots(adminUrl: string, database: string): Promise<void> {
  const slots = `from pg_replication_slots where database = '${database}'`
  const readers = `select pg_terminate_backend(active_pid) ${slots} and active`
  await until(async () => (await query(adminUrl, readers)).length === 0, { what: 'free slots' })
  await query(adminUrl, `select pg_drop_replication_slot(slot_name) ${slots}`)
}

/** Runs one statement on its own connection. */
export async function query(
  url: string,
  sql: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql, values)).rows
  } finally {
    await client.end()
  }
}
