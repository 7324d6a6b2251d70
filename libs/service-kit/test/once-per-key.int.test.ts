import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import {
  dropOldKeys,
  endedKeys,
  type KeyedRequest,
  oncePerKey,
} from '@surehook/service-kit/idempotency/once-per-key'
import { requestFingerprint } from '@surehook/service-kit/idempotency/request-fingerprint'
import { inTransaction, openPool } from '@surehook/service-kit/postgres/pool'
import { createDatabase, type TestDatabase } from '@surehook/testing/database'
import type { Pool } from 'pg'
import { createLogger } from '../src/telemetry/log.ts'

let database: TestDatabase
let pool: Pool

beforeAll(async () => {
  database = await createDatabase()
  const log = createLogger('test', 'silent')
  pool = openPool({ connectionString: database.url, applicationName: 'test', log })
  await pool.query(`
    create table used_key (scope text, key text, fingerprint bytea not null, answer text not null,
      created_at timestamptz not null, primary key (scope, key));
    create index on used_key (created_at);
    create table thing (name text)`)
})
afterAll(async () => {
  await pool?.end()
  await database?.[Symbol.asyncDispose]()
})

const request = (change: Partial<KeyedRequest> = {}): KeyedRequest => ({
  scope: ['shop', 'master'],
  key: randomUUID(),
  fingerprint: requestFingerprint({ name: 'one' }),
  ...change,
})

/** Creates a thing with this name. */
const make = (keyed: KeyedRequest, name: string = randomUUID()) =>
  inTransaction(pool, (tx) =>
    oncePerKey(tx, 'used_key', keyed, async () => {
      await tx.query('insert into thing values ($1)', [name])
      return name
    }),
  )
const things = async (name: string) =>
  (await pool.query('select from thing where name = $1', [name])).rowCount

describe('a request with a key', () => {
  it('runs once, and returns the same answer again', async () => {
    const keyed = request()
    const first = await make(keyed)
    expect(first.repeated).toBe(false)
    expect(await make(keyed)).toEqual({ answer: first.answer, repeated: true })
    expect(await things(first.answer)).toBe(1)
  })

  it('runs once among concurrent repetitions', async () => {
    const keyed = request()
    const all = await Promise.all(Array.from({ length: 8 }, () => make(keyed)))
    expect(new Set(all.map(({ answer }) => answer)).size).toBe(1)
    expect(all.filter(({ repeated }) => !repeated)).toHaveLength(1)
  })

  it('is refused when the key belongs to another request', async () => {
    const keyed = request()
    await make(keyed)
    await expect(make({ ...keyed, fingerprint: requestFingerprint({}) })).rejects.toMatchObject({
      code: 'CONFLICT',
      violations: [{ field: 'Idempotency-Key', rule: 'already_used' }],
    })
  })

  it('does not see keys of other scopes', async () => {
    const keyed = request()
    const one = await make(keyed)
    const other = await make({ ...keyed, scope: ['shop', 'other'] })
    expect(other.repeated).toBe(false)
    expect(other.answer).not.toBe(one.answer)
  })

  it('leaves its key free when it fails, also for a waiting request', async () => {
    const keyed = request()
    const failed = inTransaction(pool, (tx) =>
      oncePerKey(tx, 'used_key', keyed, () => Promise.reject(new Error('no'))),
    )
    await expect(failed).rejects.toThrow('no')
    expect(await make(keyed)).toMatchObject({ repeated: false })
  })

  it('may reuse a key after a day', async () => {
    const keyed = request()
    const { answer } = await make(keyed)
    const age = (hours: number) =>
      pool.query(`update used_key set created_at = now() - $2 * interval '1 hour' where key = $1`, [
        keyed.key,
        hours,
      ])
    await age(23)
    expect(await make(keyed)).toEqual({ answer, repeated: true })
    await dropOldKeys(pool, 'used_key')
    expect(await make(keyed)).toEqual({ answer, repeated: true })
    await age(25)
    const other = { ...keyed, fingerprint: requestFingerprint({ name: 'two' }) }
    expect(await make(other)).toMatchObject({ repeated: false })
    await age(25)
    expect(await dropOldKeys(pool, 'used_key')).toBe(1)
    expect(await endedKeys('used_key').run(pool)).toBe(false)
  })
})
