import type { EnvironmentState } from '@surehook/contracts/events'
import type { AuthSettingsChange, Environment } from '@surehook/contracts/http/admin'
import { environmentsTopic } from '@surehook/contracts/topics'
import type { StateWriter } from '@surehook/service-kit/capture/state-writer'
import { AppError, invalid } from '@surehook/service-kit/errors'
import { decodeCursor, pageOf } from '@surehook/service-kit/http/cursor'
import type { Pool, PoolClient } from 'pg'
import * as z from 'zod'
import { knownRoles } from '../users/roles.ts'
import { changeOverrides, fullSettings, type SettingsOverrides } from './auth-settings.ts'

type Row = {
  project_id: string
  name: string
  auth_overrides: SettingsOverrides
  created_at: Date
  updated_at: Date
}

export type EnvironmentName = { project: string; environment: string }
export type Page = { limit: number; cursor?: string | undefined }

/** Creates the environment, and its project, or changes its settings. Answers once it is on the topic. */
export function putEnvironment(
  writer: StateWriter,
  name: EnvironmentName,
  change: AuthSettingsChange | null | undefined,
): Promise<Environment> {
  return writer.write(async (client, emit) => {
    const current = await lockEnvironment(client, name)
    await refuseUnknownRole(client, name, change?.defaultRole)
    const { rows } = await client.query<Row>(
      `update environment
       set auth_overrides = $3, updated_at = date_trunc('milliseconds', clock_timestamp())
       where project_id = $1 and name = $2
       returning *`,
      [name.project, name.environment, changeOverrides(current.auth_overrides, change)],
    )
    const environment = toEnvironment(only(rows))
    await emit({
      topic: environmentsTopic,
      key: `${name.project}/${name.environment}`,
      state: toState(environment),
    })
    return environment
  })
}

/** Whoever signs up gets it: a role that is made later, or never, would be given all the same. */
async function refuseUnknownRole(
  client: PoolClient,
  { project, environment }: EnvironmentName,
  role: string | null | undefined,
): Promise<void> {
  if (role === undefined || role === null) return
  const known = await knownRoles(client, { projectId: project, environment }, [role])
  if (known.has(role)) return
  throw invalid([{ field: 'auth.defaultRole', message: 'is not a role of the environment' }])
}

async function lockEnvironment(client: PoolClient, name: EnvironmentName): Promise<Row> {
  const key = [name.project, name.environment]
  await client.query('insert into project (id) values ($1) on conflict do nothing', [name.project])
  await client.query(
    'insert into environment (project_id, name) values ($1, $2) on conflict do nothing',
    key,
  )
  const { rows } = await client.query<Row>(
    'select * from environment where project_id = $1 and name = $2 for update',
    key,
  )
  return only(rows)
}

export async function getEnvironment(pool: Pool, name: EnvironmentName): Promise<Environment> {
  const { rows } = await pool.query<Row>(
    'select * from environment where project_id = $1 and name = $2',
    [name.project, name.environment],
  )
  const [row] = rows
  if (row === undefined) throw new AppError('ENVIRONMENT_NOT_FOUND', 'No such environment')
  return toEnvironment(row)
}

type ProjectRow = { id: string; created_at: Date; environments: string[] }

export async function listProjects(pool: Pool, { limit, cursor }: Page) {
  const after = decodeCursor(z.string().max(64), cursor)
  const { rows } = await pool.query<ProjectRow>(
    `select id, created_at, array(
        select name from environment where project_id = project.id order by name
      ) as environments
     from project where $1::text is null or id > $1 order by id limit $2`,
    [after, limit + 1],
  )
  const { page, nextCursor } = pageOf(rows, limit, ({ id }) => id)
  const projects = page.map(({ id, created_at, environments }) => ({
    id,
    environments,
    createdAt: created_at.toISOString(),
  }))
  return { projects, nextCursor }
}

function toEnvironment(row: Row): Environment {
  return {
    projectId: row.project_id,
    environment: row.name,
    auth: fullSettings(row.auth_overrides),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

function toState({ projectId, environment, auth, updatedAt }: Environment): EnvironmentState {
  return { projectId, environment, settings: JSON.stringify({ auth }), updatedAt }
}

function only(rows: readonly Row[]): Row {
  const [row] = rows
  if (row === undefined) throw new Error('The environment is gone in the middle of its own change')
  return row
}
