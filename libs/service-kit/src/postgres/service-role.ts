import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, escapeIdentifier, escapeLiteral } from 'pg'
import { scramVerifier } from './scram-verifier.ts'

const serviceName = /^[a-z][a-z0-9-]{0,40}$/

/** `data-api` → `data_api`: the schema that the service owns. */
export function schemaOf(service: string): string {
  if (!serviceName.test(service)) throw new Error(`"${service}" is not a service name`)
  return service.replaceAll('-', '_')
}

/** `data-api` → `surehook_data_api`: the service's database role. */
export function roleOf(service: string): string {
  return `surehook_${schemaOf(service)}`
}

/** Derived, so that scripts and services agree on it without storing it anywhere. */
export function servicePassword(keyEncryptionKey: Buffer, service: string): string {
  return createHmac('sha256', keyEncryptionKey)
    .update(`surehook/postgres/${service}`)
    .digest('base64url')
}

/** The administrator's URL with the service's role in it. */
export function serviceDatabaseUrl(adminUrl: string, service: string, password: string): string {
  const url = new URL(adminUrl)
  url.username = roleOf(service)
  url.password = password
  if (url.username === '') throw new Error('The database URL must name a host')
  return url.href
}

export type RoleOptions = { service: string; password: string; mayCreateSchemas: boolean }

/** Role and schema of a service, as `admin`; changes only what is not as it should be. */
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
  // Servers log statements: at the least those that fail.
  const verifier = escapeLiteral(await scramVerifier(password))
  const attributes = `login replication nosuperuser password ${verifier}`
  await runShared(admin, `${rows[0]?.exists ? 'alter' : 'create'} role ${role} ${attributes}`)
  await runShared(admin, `alter role ${role} in database ${database} set search_path = ${schema}`)
  await admin.query(`grant connect on database ${database} to ${role}`)
  const [change, direction] = mayCreateSchemas ? ['grant', 'to'] : ['revoke', 'from']
  await admin.query(`${change} create on database ${database} ${direction} ${role}`)
  await admin.query(`create schema if not exists ${schema} authorization ${role}`)
}

/** Roles belong to the cluster: whoever migrates another of its databases may be at the same row. */
async function runShared(admin: Client, sql: string): Promise<void> {
  for (let triesLeft = 20; ; triesLeft--) {
    try {
      await admin.query(sql)
      return
    } catch (err) {
      if (triesLeft === 0 || !isConcurrentUpdate(err)) throw err
      // A role made meanwhile only needs what was to be set on it.
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
