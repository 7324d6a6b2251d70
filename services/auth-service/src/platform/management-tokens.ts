import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { StateWriter } from '@surehook/change-capture/emit/state-writer'
import type { ManagementTokenState } from '@surehook/contracts/events'
import type { ManagementToken } from '@surehook/contracts/http/admin/admin'
import type { RuledViolation } from '@surehook/contracts/problem'
import { type ManagementRight, managementRights } from '@surehook/contracts/rights'
import { managementTokensTopic } from '@surehook/contracts/topics'
import { AppError, invalid } from '@surehook/service-kit/errors'
import { CursorTime, decodeCursor, pageOf } from '@surehook/service-kit/http/cursor'
import type { Pool, PoolClient } from 'pg'
import * as z from 'zod'
import { projectExists, type Search, unknownProject } from './environments.ts'

export type TokenRow = {
  id: string
  project_id: string
  name: string
  token_hash: string
  environments: string[] | null
  rights: string[] | null
  created_at: Date
  expires_at: Date | null
}

export type TokenRequest = {
  name: string
  environments?: readonly string[] | null | undefined
  rights?: readonly ManagementRight[] | undefined
  expiresAt?: Date | null | undefined
}

/** Only this answer contains the token: the database keeps its hash. */
export async function createManagementToken(
  writer: StateWriter,
  project: string,
  request: TokenRequest,
): Promise<ManagementToken & { token: string }> {
  const token = `mt_${randomBytes(32).toString('base64url')}`
  const created = await writer.write(async (client, emit) => {
    if (!(await holdPlaces(client, project, request.environments ?? []))) throw unknownProject()
    const faults = await tokenFaults(client, project, request)
    if (faults.length > 0) throw invalid(faults)
    const row = await insertToken(client, project, { ...request, tokenHash: sha256(token) })
    await emit({ topic: managementTokensTopic, key: row.id, state: toTokenState(row) })
    return row
  })
  return { ...toToken(created), token }
}

export async function listManagementTokens(
  pool: Pool,
  project: string,
  { limit, cursor, search }: Search,
) {
  const [createdAt, id] = decodeCursor(z.tuple([CursorTime, z.uuid()]), cursor) ?? []
  if (!(await projectExists(pool, project))) throw unknownProject()
  const { rows } = await pool.query<TokenRow>(
    `select * from management_token
     where project_id = $1 and ($2::timestamptz is null or (created_at, id) < ($2, $3::uuid))
       and ($5::text is null or strpos(lower(name), lower($5)) > 0)
     order by created_at desc, id desc limit $4`,
    [project, createdAt, id, limit + 1, search],
  )
  const { page, nextCursor } = pageOf(rows, limit, (row) => [row.created_at, row.id])
  return { tokens: page.map(toToken), nextCursor }
}

export async function deleteManagementToken(
  writer: StateWriter,
  project: string,
  id: string,
): Promise<void> {
  if (!z.uuid().safeParse(id).success) throw unknownToken()
  const isGone = await writer.write(async (client, emit) => {
    const { rows } = await client.query<Pick<TokenRow, 'id'>>(
      'delete from management_token where id = $1 and project_id = $2 returning id',
      [id, project],
    )
    const [deleted] = rows
    if (deleted === undefined) return true
    // Uses the row's spelling of the id, because the tombstone must have the key of the state that
    // it deletes.
    await emit({ topic: managementTokensTopic, key: deleted.id, state: null })
    return false
  })
  if (!isGone) return
  // A repeated call finds no token. It answers 404 only once every service refuses the token.
  await writer.relayed()
  throw unknownToken()
}

/** Reads the token that has the hash, if it was not revoked. */
export async function findManagementToken(
  pool: Pool,
  hash: string,
): Promise<ManagementTokenState | undefined> {
  const { rows } = await pool.query<TokenRow>(
    'select * from management_token where token_hash = $1',
    [hash],
  )
  return rows[0] && toTokenState(rows[0])
}

async function insertToken(
  client: PoolClient,
  project: string,
  { name, environments, rights, expiresAt, tokenHash }: TokenRequest & { tokenHash: string },
): Promise<TokenRow> {
  const { rows } = await client.query<TokenRow>(
    `insert into management_token (id, project_id, name, token_hash, environments, expires_at, rights)
     values ($1, $2, $3, $4, $5, $6::timestamptz, $7) returning *`,
    [
      randomUUID(),
      project,
      name,
      tokenHash,
      environments ?? null,
      expiresAt ?? null,
      rights ?? null,
    ],
  )
  const [row] = rows
  if (row === undefined) throw new Error('An insert answered no row')
  return row
}

/** Checks the given fields beyond their schemas. */
export async function tokenFaults(
  db: Pool | PoolClient,
  project: string,
  { environments, expiresAt }: Partial<TokenRequest>,
): Promise<RuledViolation[]> {
  const faults = await unknownEnvironments(db, project, environments ?? [])
  if (expiresAt && expiresAt.getTime() <= Date.now()) {
    faults.push({ field: 'expiresAt', message: 'must be in the future', rule: 'not_in_future' })
  }
  return faults
}

async function unknownEnvironments(
  db: Pool | PoolClient,
  project: string,
  names: readonly string[],
): Promise<RuledViolation[]> {
  if (names.length === 0) return []
  const { rows } = await db.query<{ name: string }>(
    'select name from environment where project_id = $1 and name = any($2) and deleted_at is null',
    [project, names],
  )
  const known = new Set(rows.map(({ name }) => name))
  const fault = {
    message: 'is not an environment of the project',
    rule: 'unknown_environment',
  } as const
  return names.flatMap((name, index) =>
    known.has(name) ? [] : [{ field: `environments.${index}`, ...fault }],
  )
}

/**
 * Makes a deletion of the project or of a named environment wait until the token is committed, so
 * that the deletion finds the token.
 * @returns false if there is no such project
 */
async function holdPlaces(
  client: PoolClient,
  project: string,
  environments: readonly string[],
): Promise<boolean> {
  const found = await client.query(
    'select from project where id = $1 and deleted_at is null for share',
    [project],
  )
  await client.query(
    `select from environment where project_id = $1 and name = any($2) and deleted_at is null
      order by name for share`,
    [project, environments],
  )
  return found.rowCount === 1
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const unknownToken = () => new AppError('MANAGEMENT_TOKEN_NOT_FOUND', 'No such management token')

function toToken(row: TokenRow): ManagementToken {
  return {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    environments: row.environments,
    rights: managementRights.filter((right) => row.rights?.includes(right) ?? true),
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at?.toISOString() ?? null,
  }
}

export function toTokenState(row: TokenRow): ManagementTokenState {
  return { ...toToken(row), rights: row.rights, tokenHash: row.token_hash }
}
