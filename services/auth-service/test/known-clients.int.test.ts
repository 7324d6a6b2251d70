import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { inTransaction, openPool } from '@surehook/service-kit/postgres/pool'
import type { Pool } from 'pg'
import { isKnownClient, rememberClient, unseenClients } from '../src/limits/known-clients.ts'
import { log, openWorld, type World } from './support/under-test.ts'

let world: World
let pool: Pool
let user: { id: string }

beforeAll(async () => {
  world = await openWorld()
  const { databaseUrl: connectionString } = world.database
  pool = openPool({ connectionString, applicationName: 'test', log })
})
beforeEach(async () => {
  user = { id: randomUUID() }
  await pool.query(
    "insert into user_account (id, project_id, environment, email) values ($1::uuid, 'p', 'master', $1::text)",
    [user.id],
  )
})
afterAll(async () => {
  await pool?.end()
  await world?.[Symbol.asyncDispose]()
})

const remember = (address: string) =>
  inTransaction(pool, (tx) => rememberClient(tx, user, { address }))
const isKnown = (address: string, who: { id: string } | null = user) =>
  isKnownClient(pool, who, { address })

describe('the known clients of a user', () => {
  it('are the 20 seen last', async () => {
    for (let n = 0; n < 22; n++) await remember(`203.0.113.${n}`)
    const known = await Promise.all(Array.from({ length: 22 }, (_, n) => isKnown(`203.0.113.${n}`)))
    expect(known).toEqual([false, false, ...Array<boolean>(20).fill(true)])
  })

  it('are of that user alone', async () => {
    await remember('203.0.113.1')
    expect(await isKnown('203.0.113.1', { id: randomUUID() })).toBe(false)
    expect(await isKnown('203.0.113.1', null)).toBe(false)
  })

  it('are forgotten after 180 days without a login', async () => {
    const age = (days: number) =>
      pool.query(
        "update known_client set seen_at = now() - $2::int * interval '1 day' where user_id = $1",
        [user.id, days],
      )
    await remember('203.0.113.1')
    await age(179)
    await unseenClients.run(pool)
    expect(await isKnown('203.0.113.1')).toBe(true)
    await age(181)
    await remember('203.0.113.1')
    await unseenClients.run(pool)
    expect(await isKnown('203.0.113.1')).toBe(true)
    await age(181)
    await unseenClients.run(pool)
    expect(await isKnown('203.0.113.1')).toBe(false)
  })

  it('are forgotten with the user', async () => {
    await remember('203.0.113.1')
    await pool.query('delete from user_account where id = $1', [user.id])
    const { rowCount } = await pool.query('select from known_client where user_id = $1', [user.id])
    expect(rowCount).toBe(0)
  })
})
