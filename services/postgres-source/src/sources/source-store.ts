import { randomUUID } from 'node:crypto'
import type { SourceInput } from '@surehook/contracts/http/sources'
import type { SecretBox } from '@surehook/service-kit/crypto/secret-box'
import { AppError } from '@surehook/service-kit/errors'
import { inTransaction } from '@surehook/service-kit/postgres/pool'
import type { Pool, PoolClient } from 'pg'
import { parseSourceUrl, type SourceAddress } from '../connection/source-url.ts'
import { countLeftSlots, leaveAddress } from '../left-slots/left-slot-store.ts'
import { type SourceRow, type Tenant, urlContext } from '../source-row.ts'

/** Of a project. Each costs connections and the time of a replica for as long as it lasts. */
const maxSources = 20
const maxLeftSlots = 100

type SourcePlace = Tenant & { name: string }

export async function findSource(
  db: Pool | PoolClient,
  of: SourcePlace,
): Promise<SourceRow | null> {
  const { rows } = await db.query<SourceRow>(
    'select * from source where project_id = $1 and environment = $2 and name = $3',
    [of.projectId, of.environment, of.name],
  )
  return rows[0] ?? null
}

export async function findSources(db: Pool, of: Tenant): Promise<SourceRow[]> {
  const { rows } = await db.query<SourceRow>(
    'select * from source where project_id = $1 and environment = $2 order by name',
    [of.projectId, of.environment],
  )
  return rows
}

/** Creates or changes a source. A repeated request changes nothing. */
export const storeSource = (
  pool: Pool,
  box: SecretBox,
  put: SourcePlace & { input: SourceInput },
): Promise<SourceRow> =>
  inTransaction(pool, async (tx) => {
    // Requests of one project wait for each other, so that none exceeds the limit.
    await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `source/${put.projectId}`,
    ])
    return store(tx, box, put)
  })

async function store(
  tx: PoolClient,
  box: SecretBox,
  { input, ...of }: SourcePlace & { input: SourceInput },
): Promise<SourceRow> {
  const current = await findSource(tx, of)
  if (current !== null && isSame(current, box, input)) return current
  const moves = current !== null && isMoved(current, box, input)
  if (current === null) await requireRoom(tx, of)
  if (current === null || moves) await requireFewLeft(tx, of)
  if (moves) await leaveAddress(tx, current.id)
  const id = current?.id ?? randomUUID()
  const url = box.seal(input.url, urlContext(id))
  const { rows } = await tx.query<SourceRow>(
    `insert into source (id, project_id, environment, name, url, ca, publication, wal_budget)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (id) do update set
       url = excluded.url, ca = excluded.ca, publication = excluded.publication,
       wal_budget = excluded.wal_budget, version = source.version + 1, status = '{}',
       updated_at = clock_timestamp()
     returning *`,
    [
      ...[id, of.projectId, of.environment, of.name],
      ...[url, input.ca ?? null, input.publication, input.walBudget],
    ],
  )
  const [row] = rows
  if (row === undefined) throw new Error('one source was written and none came back')
  return row
}

/**
 * True if the source gets another address, as after a failover. It stays one database: which changes
 * are missing would be unknown.
 */
function isMoved(row: SourceRow, box: SecretBox, { url }: SourceInput): boolean {
  const [before, after] = [box.open(row.url, urlContext(row.id)), url].map(addressOf)
  if (before?.database !== after?.database) {
    throw new AppError('CONFLICT', 'A source cannot change its database: delete it first')
  }
  return before?.host !== after?.host || before?.port !== after?.port
}

function addressOf(url: string): SourceAddress | null {
  const parsed = parseSourceUrl(url)
  return 'fault' in parsed ? null : parsed.address
}

function isSame(row: SourceRow, box: SecretBox, input: SourceInput): boolean {
  return (
    box.open(row.url, urlContext(row.id)) === input.url &&
    row.ca === (input.ca ?? null) &&
    row.publication === input.publication &&
    Number(row.wal_budget) === input.walBudget
  )
}

async function requireRoom(tx: PoolClient, { projectId }: Tenant): Promise<void> {
  const { rows } = await tx.query<{ count: number }>(
    'select count(*)::int as count from source where project_id = $1',
    [projectId],
  )
  if ((rows[0]?.count ?? 0) < maxSources) return
  throw new AppError('CONFLICT', `A project has at most ${maxSources} sources`)
}

/** Databases that never answer must not take the time of those of others. */
async function requireFewLeft(tx: PoolClient, { projectId }: Tenant): Promise<void> {
  if ((await countLeftSlots(tx, projectId)) < maxLeftSlots) return
  const message = 'Slots of earlier sources are still to be dropped, and their databases are away'
  throw new AppError('CONFLICT', message)
}
