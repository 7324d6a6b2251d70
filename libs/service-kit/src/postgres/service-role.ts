import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, escapeIdentifier, escapeLiteral } from 'pg'
import { idleTransactionTimeoutMs } from './pool.ts'
import { scramVerifier } from './scram-verifier.ts'

const serviceName = /^[a-z][a-z0-9-]{0,40}$/

/** Schema that the service owns: `data-api` → `data_api`. */
export function schemaOf(service: string): string {
  if (!serviceName.test(service)) throw new Error(`"${service}" is not a service name`)
  return service.replaceAll('-', '_')
}

/** Database role of the service: `data-api` → `surehook_data_api`. */
export function roleOf(service: string): string {
  return `surehook_${schemaOf(service)}`
}

/** Password derived from the key, so that scripts and services need not store it. */
export function servicePassword(keyEncryptionKey: Buffer, service: string): string {
  return createHmac('sha256', keyEncryptionKey)
    .update(`surehook/postgres/${service}`)
    .digest('base64url')
}

/** Returns the administrator's URL with the service's role and password. */
export function serviceDatabaseUrl(adminUrl: string, service: string, password: string): string {
  const url = new URL(adminUrl)
  url.username = roleOf(service)
  url.password = password
  if (url.username === '') throw new Error('The database URL must name a host')
  return url.href
}

export type RoleOptions = { service: string; password: string; mayCreateSchemas: boolean }

/** Creates the role and schema of a service, as `admin`. It changes only what differs. */
export async function ensureServiceRole(admin: Client, options: RoleOptions): Promise<void> {
  const { service, password, mayCreateSchemas } = options
  const role = escapeIdentifier(roleOf(service))
  const schema = escapeIdentifier(schemaOf(service))
  const { rows } = await admin.query<{ name: string; exists: boolean }>(
    `select current_database() as name,
            exists (select from pg_roles where rolname = $1) as exists`,
    [roleOf(service)],
  )
  const database = escapeIdentifier(rows[0]?.name ?? '')
  // Servers log statements, at least failed ones, so the statement must not contain the password.
  const verifier = escapeLiteral(await scramVerifier(password))
  const attributes = `login replication nosuperuser password ${verifier}`
  await runShared(admin, `${rows[0]?.exists ? 'alter' : 'create'} role ${role} ${attributes}`)
  await runShared(admin, `alter role ${role} in database ${database} set search_path = ${schema}`)
  // Also for the sessions of an operator who takes the role.
  const idle = `idle_in_transaction_session_timeout = ${idleTransactionTimeoutMs}`
  await runShared(admin, `alter role ${role} in database ${database} set ${idle}`)
  await admin.query(`grant connect on database ${database} to ${role}`)
  const [change, direction] = mayCreateSchemas ? ['grant', 'to'] : ['revoke', 'from']
  await admin.query(`${change} create on database ${database} ${direction} ${role}`)
  await admin.query(`create schema if not exists ${schema} authorization ${role}`)
}

/**
 * Roles belong to the cluster: a migration of another database may change the same row
 * concurrently.
 */
async function runShared(admin: Client, sql: string): Promise<void> {
  for (let triesLeft = 20; ; triesLeft--) {
    try {
      await admin.query(sql)
      return
    } catch (err) {
      if (triesLeft === 0 || !isConcurrentUpdate(err)) throw err
      // Another process created the role meanwhile, so only its attributes must be set.
      sql = sql.replace(/^create role/, 'alter role')
      await sleep(25)
    }
  }
}

function isConcurrentUpdate(err: unknown): boolean {
  if (!(err instanceof Error) || !('code' in err)) return false
  const duplicate = err.code === '42710' || err.code === '23505'
  return duplicate || (err.code === 'XX000' && err.message.includes('concurrently'))
}
