import type {
  EmitState,
  StateMessage,
  StateWriter,
} from '@surehook/change-capture/emit/state-writer'
import type { EnvironmentState } from '@surehook/contracts/events'
import type { LogPosition } from '@surehook/contracts/events/log-position'
import type {
  Environment,
  putEnvironment as putOperation,
} from '@surehook/contracts/http/admin/admin'
import type { TrustedIssuer } from '@surehook/contracts/http/admin/trusted-issuers'
import type { RuledViolation } from '@surehook/contracts/problem'
import { environmentsTopic } from '@surehook/contracts/topics'
import { AppError, invalid } from '@surehook/service-kit/errors'
import { decodeCursor, type Page, pageOf } from '@surehook/service-kit/http/cursor'
import type { Pool, PoolClient } from 'pg'
import * as z from 'zod'
import {
  changeNotify,
  isNotified,
  type NotifyDeps,
  type NotifyFailures,
  notifySettings,
} from '../alerts/notify-settings.ts'
import { changeIssuers, type IssuersDeps } from '../issuers/issuer-settings.ts'
import {
  changeOverrides,
  fullSettings,
  limitSettings,
  type SettingsOverrides,
} from './auth-settings.ts'
import type { ChangesEnd, ReadChangesEnd } from './changes-end.ts'
import { knownRoles } from './roles.ts'

export type EnvironmentRow = {
  project_id: string
  name: string
  auth_overrides: SettingsOverrides
  limit_overrides: SettingsOverrides
  notify_overrides: SettingsOverrides
  notify_failures: NotifyFailures
  trusted_issuers: TrustedIssuer[]
  created_at: Date
  updated_at: Date
  deleted_at: Date | null
  key_epoch: number
  changes_from: LogPosition | null
}

export type EnvironmentName = { project: string; environment: string }

export type EnvironmentChange = z.output<typeof putOperation.body>

/** What checks and encrypts new settings. */
export type SettingsDeps = NotifyDeps & IssuersDeps

export type PutDeps = {
  pool: Pool
  writer: Pick<StateWriter, 'write'>
  changesEnd: ReadChangesEnd
  settings: SettingsDeps
}

/**
 * Creates the environment and its project, or changes its settings. Resolves once the state is on
 * the topic.
 */
export async function putEnvironment(
  { pool, writer, changesEnd, settings }: PutDeps,
  name: EnvironmentName,
  change: EnvironmentChange,
): Promise<Environment> {
  const isKnown = (await findRow(pool, name)) !== undefined
  const changesFrom = isKnown ? null : await changesEnd()
  return writer.write(async (client, emit) => {
    const current = await lockEnvironment(client, name, changesFrom)
    if (current.deleted_at !== null) throw isBeingDeleted()
    const faults = await defaultRoleFaults(client, name, change.auth?.defaultRole)
    if (faults.length > 0) throw invalid(faults)
    const { rows } = await client.query<EnvironmentRow>(
      `update environment
       set auth_overrides = $3, limit_overrides = $4, notify_overrides = $5,
         trusted_issuers = $6,
         updated_at = date_trunc('milliseconds', clock_timestamp())
       where project_id = $1 and name = $2
       returning *`,
      [
        name.project,
        name.environment,
        changeOverrides(current.auth_overrides, change.auth),
        changeOverrides(current.limit_overrides, change.limits),
        changeNotify(settings, { name, current: current.notify_overrides, change: change.notify }),
        JSON.stringify(changeIssuers(settings, current.trusted_issuers, change.trustedIssuers)),
      ],
    )
    const row = only(rows)
    await emit(stateMessage(row))
    return toEnvironment(row)
  })
}

/** Invalidates the keys of the environment that verifiers have cached. */
export async function raiseKeyEpoch(
  tx: PoolClient,
  emit: EmitState,
  name: EnvironmentName,
): Promise<void> {
  const { rows } = await tx.query<EnvironmentRow>(
    `update environment set key_epoch = key_epoch + 1 where project_id = $1 and name = $2
     returning *`,
    [name.project, name.environment],
  )
  await emit(stateMessage(only(rows)))
}

/** Every new user gets this role, so it has to exist already. */
export async function defaultRoleFaults(
  db: Pool | PoolClient,
  { project, environment }: EnvironmentName,
  role: string | null | undefined,
): Promise<RuledViolation[]> {
  if (role === undefined || role === null) return []
  const known = await knownRoles(db, { projectId: project, environment }, [role])
  if (known.has(role)) return []
  const message = 'is not a role of the environment'
  return [{ field: 'auth.defaultRole', message, rule: 'unknown_role' }]
}

/** @param changesFrom `null` if the environment was there: it is not created then */
async function lockEnvironment(
  client: PoolClient,
  name: EnvironmentName,
  changesFrom: ChangesEnd | null,
): Promise<EnvironmentRow> {
  const key = [name.project, name.environment]
  await lockProject(client, name.project)
  if (changesFrom !== null) {
    await client.query(
      // The epoch (seconds since September 2020) is above that of every earlier environment of this
      // name.
      `insert into environment (project_id, name, key_epoch, changes_from)
       values ($1, $2, extract(epoch from clock_timestamp())::bigint - 1600000000, $3)
       on conflict do nothing`,
      [...key, changesFrom.current()],
    )
  }
  const { rows } = await client.query<EnvironmentRow>(
    'select * from environment where project_id = $1 and name = $2 for update',
    key,
  )
  const [row] = rows
  // Its deletion was completed since it was looked for.
  if (row === undefined) throw isBeingDeleted()
  return row
}

/**
 * The lock lasts until the end of the transaction, so that nobody deletes the project meanwhile.
 */
async function lockProject(client: PoolClient, project: string): Promise<void> {
  await client.query('insert into project (id) values ($1) on conflict do nothing', [project])
  const { rows } = await client.query<{ deleted_at: Date | null }>(
    'select deleted_at from project where id = $1 for share',
    [project],
  )
  if (rows[0]?.deleted_at !== null) throw isBeingDeleted()
}

async function findRow(pool: Pool, name: EnvironmentName): Promise<EnvironmentRow | undefined> {
  const { rows } = await pool.query<EnvironmentRow>(
    'select * from environment where project_id = $1 and name = $2',
    [name.project, name.environment],
  )
  return rows[0]
}

export async function getEnvironment(pool: Pool, name: EnvironmentName): Promise<Environment> {
  const row = await findRow(pool, name)
  if (row === undefined) throw environmentNotFound()
  return toEnvironment(row)
}

/** Like `getEnvironment`, but an environment that is being deleted does not exist. */
export async function requireEnvironment(pool: Pool, name: EnvironmentName): Promise<Environment> {
  const environment = await getEnvironment(pool, name)
  if (environment.deletedAt !== null) throw environmentNotFound()
  return environment
}

/**
 * Makes a deletion of the environment wait for the end of the transaction, so that the purge finds
 * the rows that it inserts. Signups do not call it, because all of them would lock the same row. A
 * signup ends within the 10 s or more that the other services wait before they publish a purge.
 */
export async function holdEnvironment(
  tx: PoolClient,
  { project, environment }: EnvironmentName,
): Promise<void> {
  const { rowCount } = await tx.query(
    `select from environment where project_id = $1 and name = $2 and deleted_at is null
        for share`,
    [project, environment],
  )
  if (rowCount === 0) throw environmentNotFound()
}

/** A page of the entries whose name contains the text. */
export type Search = Page & { search?: string | undefined }

type ProjectRow = { id: string; created_at: Date; environments: string[] }

export async function listProjects(pool: Pool, { limit, cursor, search }: Search) {
  const after = decodeCursor(z.string().max(64), cursor)
  const { rows } = await pool.query<ProjectRow>(
    `select id, created_at, array(
        select name from environment where project_id = project.id order by name
      ) as environments
     from project
     where ($1::text is null or id > $1) and ($3::text is null or strpos(lower(id), lower($3)) > 0)
     order by id limit $2`,
    [after, limit + 1, search],
  )
  const { page, nextCursor } = pageOf(rows, limit, ({ id }) => id)
  const projects = page.map(({ id, created_at, environments }) => ({
    id,
    environments,
    createdAt: created_at.toISOString(),
  }))
  return { projects, nextCursor }
}

/** The environments that the caller manages: those of `known`, or all without it. */
export async function listEnvironments(
  pool: Pool,
  project: string,
  known: readonly string[] | null,
): Promise<{ environments: string[] }> {
  if (!(await projectExists(pool, project))) throw unknownProject()
  const { rows } = await pool.query<{ name: string }>(
    `select name from environment
     where project_id = $1 and deleted_at is null and ($2::text[] is null or name = any($2))
     order by name`,
    [project, known],
  )
  return { environments: rows.map(({ name }) => name) }
}

export async function projectExists(db: Pool, project: string): Promise<boolean> {
  const { rowCount } = await db.query('select from project where id = $1 and deleted_at is null', [
    project,
  ])
  return rowCount === 1
}

export const unknownProject = () => new AppError('NOT_FOUND', 'No such project')

export function toEnvironment(row: EnvironmentRow): Environment {
  return {
    projectId: row.project_id,
    environment: row.name,
    auth: fullSettings(row.auth_overrides),
    limits: limitSettings(row.limit_overrides),
    notify: notifySettings(row.notify_overrides, row.notify_failures),
    trustedIssuers: row.trusted_issuers,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    deletedAt: row.deleted_at?.toISOString() ?? null,
  }
}

/** The environment as the message of its topic. */
export function stateMessage(row: EnvironmentRow): StateMessage {
  const { auth, limits, notify, trustedIssuers, ...environment } = toEnvironment(row)
  const { digestInterval } = notify
  const state: EnvironmentState = {
    ...environment,
    settings: JSON.stringify({
      ...{ auth, limits, trustedIssuers },
      // Only auth-service needs the recipients.
      notify: isNotified(notify) ? { digestInterval } : null,
    }),
    keyEpoch: row.key_epoch,
    changesFrom: row.changes_from,
  }
  return { topic: environmentsTopic, key: `${row.project_id}/${row.name}`, state }
}

export const environmentNotFound = () =>
  new AppError('ENVIRONMENT_NOT_FOUND', 'No such environment')

const isBeingDeleted = () =>
  new AppError('CONFLICT', 'The environment is being deleted: create it again when GET answers 404')

function only(rows: readonly EnvironmentRow[]): EnvironmentRow {
  const [row] = rows
  if (row === undefined) throw new Error('The environment is gone in the middle of its own change')
  return row
}
