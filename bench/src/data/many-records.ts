import type { RunningSystem } from '@surehook/scripts/lib/running-system'
import { Client, escapeIdentifier } from 'pg'
import type { MeasureOptions } from '../measure/measured.ts'
import type { BenchProject } from '../platform/platform.ts'
import { allRelaysPassed } from '../platform/relays.ts'

export type DataBench = MeasureOptions & { system: RunningSystem; rows: number }

export const table = 'bench'

export const columns = [
  { name: 'number', type: 'bigint', unique: true },
  { name: 'status', type: 'text' },
  { name: 'sent_at', type: 'double' },
  { name: 'note', type: 'text' },
]

/** The number of different values of `status`. */
export const statuses = 10

/** Returns the id of the record with this number. */
export const idOf = (n: number): string =>
  `01900000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`

/**
 * Fills a table with records of about 500 bytes, directly in data-api's schema and without events:
 * a million requests would take too long. Records that a scenario adds have other ids.
 */
export async function fillTable(project: BenchProject, rows: number): Promise<void> {
  await project.call('PUT', `/_tables/${table}`, { columns })
  await withTable(project, async (database, name) => {
    await database.query(
      `insert into ${name} ("id", "createdAt", "updatedAt", number, status, sent_at, note)
       select ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, now(), now(),
              n, 's' || n % ${statuses}, n, repeat('n', 330)
         from generate_series(0, $1::integer - 1) n`,
      [rows],
    )
    await database.query(`vacuum analyze ${name}`)
    await database.query('checkpoint')
    await allRelaysPassed(database)
  })
}

/** Gives a user some of the records: those with these numbers. */
export function giveRecords(project: BenchProject, userId: string, numbers: number[]) {
  return withTable(project, async (database, name) => {
    await database.query(`update ${name} set owner_id = $1 where number = any($2::bigint[])`, [
      userId,
      numbers,
    ])
    await database.query(`vacuum analyze ${name}`)
  })
}

async function withTable(
  { system, projectId }: BenchProject,
  work: (database: Client, name: string) => Promise<void>,
): Promise<void> {
  const database = new Client({ connectionString: system.databaseUrl })
  await database.connect()
  try {
    const { rows: found } = await database.query<{ schema: string }>(
      'select schema_name as schema from data_api.table_definition where project_id = $1 and name = $2',
      [projectId, table],
    )
    await work(database, `${escapeIdentifier(found[0]?.schema ?? '')}.${escapeIdentifier(table)}`)
  } finally {
    await database.end()
  }
}
