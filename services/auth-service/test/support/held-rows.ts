import { Client } from 'pg'
import { sql } from './sql.ts'
import type { World } from './under-test.ts'

/** Runs a statement in a transaction that stays open until the returned function is called. */
export async function holdOpen(
  { database }: World,
  text: string,
  values: unknown[] = [],
): Promise<() => Promise<void>> {
  const holder = new Client({ connectionString: database.databaseUrl })
  await holder.connect()
  await holder.query('begin')
  await holder.query(text, values)
  return () => holder.end()
}

/**
 * Makes every transaction that inserts into the table wait after its insert, until the returned
 * function is called.
 */
export async function holdInserts(world: World, table: string): Promise<() => Promise<void>> {
  await sql(
    world,
    `create function hold_insert() returns trigger language plpgsql as
       $$ begin perform pg_advisory_xact_lock_shared(1); return null; end $$;
     create trigger hold_insert after insert on ${table} execute function hold_insert()`,
  )
  const release = await holdOpen(world, 'select pg_advisory_xact_lock(1)')
  return async () => {
    await release()
    await sql(world, 'drop function hold_insert() cascade')
  }
}

/** The number of transactions that wait for a lock. */
export async function waitingForLocks(world: World): Promise<number> {
  const waiting = await sql(
    world,
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return waiting.length
}
