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

export type RoleOptions = {
  service: string
  password: string
  mayCreateSchemas: boolean
  /** True if the role reads a replication slot. */
  replicates: boolean
}

/**
 * Creates the role and schema of a service, as `admin`. It changes only what differs, because an
 * administrator without superuser rights may not even repeat an attribute.
 */
export async function ensureServiceRole(admin: Client, options: RoleOptions): Promise<void> {
  const { service, password, mayCreateSchemas, replicates } = options
  const role = escapeIdentifier(roleOf(service))
  const schema = escapeIdentifier(schemaOf(service))
  const found = await readServer(admin, roleOf(service))
  const database = escapeIdentifier(found.database)
  // Servers log statements, at least failed ones, so the statement must not contain the password.
  const verifier = escapeLiteral(await scramVerifier(password))
  const attributes = [
    `login password ${verifier}`,
    ...(found.isSuperuser ? ['nosuperuser'] : []),
    ...(!replicates || found.replicates || found.isRds ? [] : ['replication']),
  ].join(' ')
  await runShared(admin, `${found.exists ? 'alter' : 'create'} role ${role} ${attributes}`)
  if (replicates && found.isRds) await runShared(admin, `grant ${rdsReplication} to ${role}`)
  // Only a superuser may create a schema for a role of which it is no member.
  if (!found.adminIsSuperuser) await runShared(admin, `grant ${role} to current_user`)
  await runShared(admin, `alter role ${role} in database ${database} set search_path = ${schema}`)
  // Also for the sessions of an operator who takes the role.
  const idle = `idle_in_transaction_session_timeout = ${idleTransactionTimeoutMs}`
  await runShared(admin, `alter role ${role} in database ${database} set ${idle}`)
  await admin.query(`grant connect on database ${database} to ${role}`)
  const [change, direction] = mayCreateSchemas ? ['grant', 'to'] : ['revoke', 'from']
  await admin.query(`${change} create on database ${database} ${direction} ${role}`)
  await admin.query(`create schema if not exists ${schema} authorization ${role}`)
}

type Server = {
  database: string
  adminIsSuperuser: boolean
  /** True on Amazon RDS, where membership in a role stands for the attribute REPLICATION. */
  isRds: boolean
  /** The role of the service. */
  exists: boolean
  isSuperuser: boolean
  replicates: boolean
}

const rdsReplication = 'rds_replication'

async function readServer(admin: Client, role: string): Promise<Server> {
  const { rows } = await admin.query<Server>(
    `select current_database() as database,
            a.rolsuper as "adminIsSuperuser",
            not a.rolsuper and exists (select from pg_roles where rolname = $2) as "isRds",
            r.rolname is not null as exists,
            coalesce(r.rolsuper, false) as "isSuperuser",
            coalesce(r.rolreplication, false) as replicates
       from pg_roles a left join pg_roles r on r.rolname = $1
      where a.rolname = current_user`,
    [role, rdsReplication],
  )
  if (rows[0] === undefined) throw new Error('the administrator has no role')
  return rows[0]
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
