import { readdirSync } from 'node:fs'
import { schemaOf } from '@surehook/service-kit/postgres/service-role'
import type { Client } from 'pg'
import { surehookRoot } from '../../lib/root.ts'
import { databaseServices } from '../../prepare/prepare-database.ts'
import { type Finding, findingsOf } from '../finding.ts'
import type { Target } from '../target.ts'
import { withPostgres } from '../with-postgres.ts'

const { ok, wrong, skipped } = findingsOf('postgresql')

/** The oldest major version whose pgoutput streams logical messages. */
const oldestMajor = 14

export async function checkPostgres(target: Target): Promise<Finding[]> {
  return withPostgres(target, async (client) => {
    const settings = await readSettings(client)
    return [...judgeSettings(settings), ...(await examineTables(client))]
  })
}

export type Settings = Readonly<Record<string, string>>

const names = [
  'server_version_num',
  'server_version',
  'wal_level',
  'max_replication_slots',
  'max_wal_senders',
  'max_slot_wal_keep_size',
  'synchronous_commit',
  'fsync',
  'full_page_writes',
]

async function readSettings(client: Client): Promise<Settings> {
  const { rows } = await client.query<{ name: string; setting: string }>(
    'select name, setting from pg_settings where name = any($1)',
    [names],
  )
  return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))
}

/** Checks the settings on which the delivery guarantees depend. */
export function judgeSettings(settings: Settings): Finding[] {
  const is = (name: string) => settings[name] ?? ''
  const version = is('server_version')
  const findings: Finding[] = []
  if (Number(is('server_version_num')) < oldestMajor * 10_000) {
    findings.push(
      wrong(
        `version ${version}`,
        `Upgrade to PostgreSQL ${oldestMajor} or newer (17 is what is tested).`,
      ),
    )
  } else findings.push(ok(`version ${version}`))
  if (is('wal_level') !== 'logical') {
    findings.push(
      wrong(`wal_level is ${is('wal_level')}`, 'Set wal_level = logical and restart PostgreSQL.'),
    )
  }
  for (const name of ['max_replication_slots', 'max_wal_senders']) {
    if (Number(is(name)) >= databaseServices.length) continue
    findings.push(
      wrong(
        `${name} is ${is(name)}`,
        `Set it to ${databaseServices.length} and what others need, and restart PostgreSQL.`,
      ),
    )
  }
  for (const name of ['fsync', 'full_page_writes', 'synchronous_commit']) {
    if (is(name) !== 'off') continue
    findings.push(
      wrong(`${name} is off: what was answered may be gone after a crash`, `Set ${name} = on.`),
    )
  }
  findings.push(ok(`max_slot_wal_keep_size is ${whatIsKept(is('max_slot_wal_keep_size'))}`))
  return findings
}

/** Both settings are valid: one risks a full disk, the other a lost slot. */
function whatIsKept(megabytes: string): string {
  return megabytes === '-1'
    ? '-1: no slot is given up, and a relay that stands still fills the disk'
    : `${megabytes} MB: the disk is spared, and a relay that falls behind further loses its slot, with changes`
}

/** Checks whether every migration of this version has run. */
async function examineTables(client: Client): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const service of databaseServices) findings.push(await examineSchema(client, service))
  return findings
}

type SchemaState = { exists: boolean; table: boolean; readable: boolean }

async function examineSchema(client: Client, service: string): Promise<Finding> {
  const schema = schemaOf(service)
  const { rows } = await client.query<SchemaState>(
    `select n.oid is not null as exists,
            t.oid is not null as "table",
            coalesce(has_schema_privilege(n.oid, 'usage') and has_table_privilege(t.oid, 'select'), false) as readable
       from (select $1::text as name) wanted
       left join pg_namespace n on n.nspname = wanted.name
       left join pg_class t on t.relnamespace = n.oid and t.relname = 'schema_migrations'`,
    [schema],
  )
  const [state] = rows
  const advice = 'Run `surehook prepare database`.'
  if (!state?.exists || !state.table) return wrong(`schema ${schema} is not there`, advice)
  if (!state.readable) return skipped(`schema ${schema}: not readable with this role`)
  const ran = await client.query<{ name: string }>(`select name from "${schema}".schema_migrations`)
  const done = new Set(ran.rows.map(({ name }) => name))
  const missing = migrationsOf(service).filter((name) => !done.has(name))
  if (missing.length === 0) return ok(`schema ${schema}: ${done.size} migrations`)
  return wrong(`schema ${schema}: ${missing.join(', ')} did not run yet`, advice)
}

function migrationsOf(service: string): string[] {
  return readdirSync(`${surehookRoot}/services/${service}/migrations`)
    .filter((name) => name.endsWith('.sql'))
    .map((name) => name.replace(/\.sql$/, ''))
}
