import { readdirSync } from 'node:fs'
import { capturingServices } from '@surehook/change-capture/slot/capturing-services'
import { type Finding, findingsOf } from '@surehook/diagnosis/finding'
import { judgeSettings } from '@surehook/diagnosis/postgres/judge-settings'
import { readSettings } from '@surehook/diagnosis/postgres/read-settings'
import { reasonOf } from '@surehook/service-kit/errors'
import { schemaOf } from '@surehook/service-kit/postgres/service-role'
import { databaseOf } from '@surehook/service-kit/postgres/sibling-database'
import type { Client } from 'pg'
import { historyUrlOf } from '../../lib/connections.ts'
import { surehookRoot } from '../../lib/root.ts'
import { databaseServices } from '../../lib/service-catalog.ts'
import type { Target } from '../target.ts'
import { withDatabase, withPostgres } from '../with-postgres.ts'

const { ok, wrong, skipped } = findingsOf('postgresql')

export async function checkPostgres(target: Target): Promise<Finding[]> {
  return withPostgres(target, async (client) => {
    const settings = await readSettings(client)
    return [
      ...judgeSettings(settings, { slots: capturingServices.length }),
      ...(await examineTables(client)),
    ]
  }).then(async (findings) => [...findings, await examineHistory(target)])
}

/** Checks the history database. webhook-api runs without it, so its failure is one finding. */
async function examineHistory({ env }: Target): Promise<Finding> {
  const url = historyUrlOf(env)
  const of = `database ${databaseOf(url)}`
  const examine = (client: Client) => examineSchema(client, 'webhook-api', 'migrations/history')
  try {
    const found = await withDatabase(url, examine)
    return { ...found, says: `${of}: ${found.says}` }
  } catch (err) {
    return wrong(`${of} of the history: ${reasonOf(err)}`, historyAdvice)
  }
}

const historyAdvice =
  'Bring it back, mend HISTORY_DATABASE_URL, or run `surehook prepare database`. Deliveries go on without it.'

/** Checks whether every migration of this version has run. */
async function examineTables(client: Client): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const service of databaseServices) findings.push(await examineSchema(client, service))
  return findings
}

type SchemaState = { exists: boolean; table: boolean; readable: boolean }

async function examineSchema(
  client: Client,
  service: string,
  folder = 'migrations',
): Promise<Finding> {
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
  const missing = migrationsOf(`${service}/${folder}`).filter((name) => !done.has(name))
  if (missing.length === 0) return ok(`schema ${schema}: ${done.size} migrations`)
  return wrong(`schema ${schema}: ${missing.join(', ')} did not run yet`, advice)
}

function migrationsOf(folder: string): string[] {
  return readdirSync(`${surehookRoot}/services/${folder}`)
    .filter((name) => name.endsWith('.sql'))
    .map((name) => name.replace(/\.sql$/, ''))
}
