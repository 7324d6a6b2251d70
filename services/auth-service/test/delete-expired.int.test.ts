import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { openExpiryDeletion } from '@surehook/service-kit/postgres/delete-expired'
import { openPool } from '@surehook/service-kit/postgres/pool'
import { until } from '@surehook/testing/until'
import type { Pool } from 'pg'
import { expiredCodes } from '../src/accounts/delete-expired-codes.ts'
import { sessionDeletions } from '../src/sessions/delete-expired-sessions.ts'
import { log, openWorld, type World } from './support/under-test.ts'

let world: World
let pool: Pool

beforeAll(async () => {
  world = await openWorld()
  const { databaseUrl: connectionString } = world.database
  pool = openPool({ connectionString, applicationName: 'test', log })
})
afterAll(async () => {
  await pool?.end()
  await world?.[Symbol.asyncDispose]()
})

type Times = { idle?: string; absolute?: string; access?: string; ended?: string | null }

/** Adds sessions with these times relative to now. */
async function addSessions(count: number, times: Times): Promise<string[]> {
  const { idle = '1 day', absolute = '1 day', access = '-1 day', ended = null } = times
  const ids = Array.from({ length: count }, () => randomUUID())
  await pool.query(
    `insert into session (id, project_id, environment, user_id, roles, refresh_hash,
                          idle_expires_at, expires_at, access_expires_at, ended_at)
     select id, 'p', 'master', gen_random_uuid(), '{}', '', now() + $2::interval,
            now() + $3::interval, now() + $4::interval, now() + $5::interval
       from unnest($1::uuid[]) as id`,
    [ids, idle, absolute, access, ended],
  )
  return ids
}

const idsIn = async (table: string, column: string): Promise<string[]> => {
  const { rows } = await pool.query<{ id: string }>(`select ${column} as id from ${table}`)
  return rows.map(({ id }) => id)
}

it('removes what is old, in batches, and nothing else', async () => {
  const kept = [
    await addSessions(3, {}),
    await addSessions(1, { idle: '-23 hours' }),
    await addSessions(1, { ended: '-23 hours' }),
    await addSessions(1, { ended: '-2 days', access: '1 minute' }),
  ].flat()
  await addSessions(1_500, { idle: '-25 hours' })
  await addSessions(1_000, { ended: '-25 hours' })
  await addSessions(10, { absolute: '-25 hours' })
  const revoke = async (count: number, expires: string) => {
    const ids = Array.from({ length: count }, () => randomUUID())
    await pool.query(
      `insert into revocation (session_id, project_id, environment, min_generation, expires_at)
       select id, 'p', 'master', 1, now() + $2::interval from unnest($1::uuid[]) as id`,
      [ids, expires],
    )
    return ids
  }
  const living = await revoke(5, '1 minute')
  await revoke(1_500, '-1 minute')
  const jobs = sessionDeletions()
  {
    await using _deletion = openExpiryDeletion({ pool, jobs, log, everyMs: 20, pauseMs: 0 })
    const isClean = async () =>
      (await idsIn('session', 'id')).length <= kept.length &&
      (await idsIn('revocation', 'session_id')).length <= living.length
    await until(isClean, { what: 'the deletion of expired rows' })
    // Runs once more over the rows that are left.
    for (const job of jobs) while (await job.run(pool)) continue
  }
  expect((await idsIn('session', 'id')).toSorted()).toEqual(kept.toSorted())
  expect((await idsIn('revocation', 'session_id')).toSorted()).toEqual(living.toSorted())
})

it('keeps an expired code for the week in which its wrong tries count', async () => {
  const addCode = async (expires: string, wrongTries: number, since: string) => {
    const id = randomUUID()
    await pool.query(
      `with owner as (
         insert into user_account (id, project_id, environment, email)
         values ($1::uuid, 'p', 'master', $1::text) returning id)
       insert into code (user_id, purpose, code_hash, attempts_left, expires_at, wrong_tries, wrong_since)
       select id, 'recovery', '', 0, now() + $2::interval, $3, now() + $4::interval from owner`,
      [id, expires, wrongTries, since],
    )
    return id
  }
  const kept = [
    await addCode('-59 minutes', 0, '-1 hour'),
    await addCode('-6 days', 1, '-6 days'),
    await addCode('1 hour', 9, '-8 days'),
  ]
  await addCode('-61 minutes', 0, '-1 hour')
  await addCode('-7 days', 9, '-169 hours')
  expect(await expiredCodes.run(pool)).toBe(false)
  expect((await idsIn('code', 'user_id')).toSorted()).toEqual(kept.toSorted())
})
