import { Client } from 'pg'
import { allRelaysPassed } from '../platform/relays.ts'

/**
 * Users of one project, inserted directly into the tables of auth-service: a million signups would
 * take too long.
 */
export type ManyUsers = AsyncDisposable & {
  /**
   * Adds users, each with a session, until there are `count`. All have the password of the model.
   */
  fillTo(count: number): Promise<void>
  emailOf(n: number): string
}

/** A version 7 UUID for the millisecond `$3 + n`. */
const timeOrderedId = `(
  select (substr(hex, 1, 8) || '-' || substr(hex, 9, 4) || '-7' || substr(chance, 16))::uuid
    from (select lpad(to_hex($3::bigint + n), 12, '0') as hex, gen_random_uuid()::text as chance
           where n is not null) parts)`

const usersSql = `
insert into auth_service.user_account
  (id, project_id, environment, email, password_hash, email_verified)
select ${timeOrderedId}, $1, 'master', 'many-' || n || '@example.com', m.password_hash, true
  from generate_series($4::bigint, $5::bigint) n,
       (select password_hash from auth_service.user_account
         where project_id = $1 and environment = 'master' and email = $2) m`

const sessionsSql = `
insert into auth_service.session
  (id, project_id, environment, user_id, roles, refresh_hash,
   idle_expires_at, expires_at, access_expires_at)
select gen_random_uuid(), project_id, environment, id, roles, sha256(id::text::bytea),
       now() + interval '30 days', now() + interval '90 days', now() + interval '15 minutes'
  from auth_service.user_account
 where project_id = $1 and environment = 'master' and id >= $2::uuid`

export async function openManyUsers(
  databaseUrl: string,
  { projectId, model }: { projectId: string; model: string },
): Promise<ManyUsers> {
  const database = new Client({ connectionString: databaseUrl })
  await database.connect()
  const tables = ['session', 'user_account'] as const
  const tidy = async () => {
    for (const table of tables) await database.query(`vacuum analyze auth_service.${table}`)
    await database.query('checkpoint')
    await allRelaysPassed(database)
  }
  let filled = 0
  return {
    emailOf: (n) => `many-${n}@example.com`,
    async fillTo(count) {
      const firstMs = Date.now()
      await database.query(usersSql, [projectId, model, firstMs, filled, count - 1])
      const firstId = `${firstMs
        .toString(16)
        .padStart(12, '0')
        .replace(/^(.{8})/, '$1-')}-7000-8000-000000000000`
      await database.query(sessionsSql, [projectId, firstId])
      filled = count
      await tidy()
    },
    async [Symbol.asyncDispose]() {
      for (const table of tables) {
        await database.query(`delete from auth_service.${table} where project_id = $1`, [projectId])
      }
      await tidy()
      await database.end()
    },
  }
}
