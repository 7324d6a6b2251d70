import type { EmitState, StateWriter } from '@surehook/change-capture/emit/state-writer'
import { managementTokensTopic } from '@surehook/contracts/topics'
import { AppError } from '@surehook/service-kit/errors'
import type { PoolClient } from 'pg'
import {
  type EnvironmentName,
  type EnvironmentRow,
  environmentNotFound,
  stateMessage,
  toEnvironment,
} from './environments.ts'
import { type TokenRow, toTokenState } from './management-tokens.ts'

/**
 * Marks the environment as deleted. It serves no requests once this resolves. The row is deleted
 * when every service has deleted its data. Repeating the call gives the same answer.
 */
export function deleteEnvironment(writer: StateWriter, { project, environment }: EnvironmentName) {
  return writer.write(async (tx, emit) => {
    const { rows } = await tx.query<EnvironmentRow>(
      'select * from environment where project_id = $1 and name = $2 for update',
      [project, environment],
    )
    const [row] = rows
    if (row === undefined) throw environmentNotFound()
    await withdrawFromTokens(tx, emit, row)
    return markDeleted(tx, emit, row)
  })
}

/** Revokes the project's management tokens and marks all its environments as deleted. */
export function deleteProject(writer: StateWriter, project: string) {
  return writer.write(async (tx, emit) => {
    const marked = await tx.query(
      'update project set deleted_at = coalesce(deleted_at, clock_timestamp()) where id = $1',
      [project],
    )
    if (marked.rowCount === 0) throw new AppError('NOT_FOUND', 'No such project')
    const tokens = await tx.query<{ id: string }>(
      'delete from management_token where project_id = $1 returning id',
      [project],
    )
    for (const { id } of tokens.rows) {
      await emit({ topic: managementTokensTopic, key: id, state: null })
    }
    const { rows } = await tx.query<EnvironmentRow>(
      'select * from environment where project_id = $1 order by name for update',
      [project],
    )
    for (const row of rows) await markDeleted(tx, emit, row)
    if (rows.length === 0) await tx.query('delete from project where id = $1', [project])
    return { id: project, environments: rows.map(({ name }) => name) }
  })
}

async function markDeleted(tx: PoolClient, emit: EmitState, row: EnvironmentRow) {
  const { rows } = await tx.query<EnvironmentRow>(
    `update environment set deleted_at = coalesce(deleted_at, clock_timestamp())
      where project_id = $1 and name = $2 returning *`,
    [row.project_id, row.name],
  )
  const marked = rows[0] ?? row
  await emit(stateMessage(marked))
  return toEnvironment(marked)
}

/**
 * A token that named the environment must not be valid for a later environment of the same name.
 */
async function withdrawFromTokens(tx: PoolClient, emit: EmitState, row: EnvironmentRow) {
  const names = [row.project_id, row.name]
  const ended = await tx.query<{ id: string }>(
    `delete from management_token where project_id = $1 and environments = array[$2::text] returning id`,
    names,
  )
  for (const { id } of ended.rows) {
    await emit({ topic: managementTokensTopic, key: id, state: null })
  }
  const narrowed = await tx.query<TokenRow>(
    `update management_token set environments = array_remove(environments, $2)
      where project_id = $1 and $2 = any(environments) returning *`,
    names,
  )
  for (const token of narrowed.rows) {
    await emit({ topic: managementTokensTopic, key: token.id, state: toTokenState(token) })
  }
}
