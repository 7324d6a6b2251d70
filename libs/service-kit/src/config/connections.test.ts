import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from '@jest/globals'
import * as z from 'zod'
import { encryptionKeyEnv, encryptionKeysOf, postgresEnv, readEnv, redisEnv } from './config.ts'
import { databaseConnection, redisConnection } from './connections.ts'

const Env = z.object({ ...postgresEnv, ...redisEnv })
const env = {
  DATABASE_URL: 'postgres://u:p@db/x',
  REDIS_URL: 'rediss://user:pass@r:6379',
}
const read = (more: NodeJS.ProcessEnv) => readEnv(Env, { ...env, ...more })

const dir = mkdtempSync(join(tmpdir(), 'connections-'))
afterAll(() => rmSync(dir, { recursive: true }))
const pem = '-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n'
const caFile = join(dir, 'ca.pem')
writeFileSync(caFile, pem)

describe('PostgreSQL', () => {
  it('verifies the server with every connection when there is a CA', () => {
    expect(databaseConnection(read({}))).toBe(env.DATABASE_URL)
    const url = new URL(databaseConnection(read({ DATABASE_CA_FILE: caFile })))
    expect(Object.fromEntries(url.searchParams)).toEqual({
      sslmode: 'verify-full',
      sslrootcert: caFile,
    })
  })

  it.each(['10.0.0.5', '[2001:db8::5]'])('refuses a CA for the IP address %s', (host) => {
    const DATABASE_URL = `postgres://u:p@${host}:5432/x`
    expect(() => databaseConnection(read({ DATABASE_URL, DATABASE_CA_FILE: caFile }))).toThrow(
      'DATABASE_CA_FILE: DATABASE_URL must name its host',
    )
    expect(databaseConnection(read({ DATABASE_URL }))).toBe(DATABASE_URL)
  })

  it('refuses a CA with an sslmode that does not verify', () => {
    const DATABASE_URL = `${env.DATABASE_URL}?sslmode=disable`
    expect(() => databaseConnection(read({ DATABASE_URL, DATABASE_CA_FILE: caFile }))).toThrow(
      'DATABASE_CA_FILE: DATABASE_URL must not say sslmode=disable',
    )
  })
})

describe('Redis', () => {
  it('uses the CA of a rediss URL', () => {
    expect(redisConnection(read({}))).toEqual({ url: env.REDIS_URL })
    expect(redisConnection(read({ REDIS_CA_FILE: caFile }))).toEqual({
      url: env.REDIS_URL,
      ca: pem,
    })
    const REDIS_URL = 'redis://r:6379'
    expect(() => redisConnection(read({ REDIS_URL, REDIS_CA_FILE: caFile }))).toThrow(
      'REDIS_CA_FILE: requires a rediss:// REDIS_URL',
    )
  })
})

describe('encryption keys', () => {
  const [one, two] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
  const Keys = z.object(encryptionKeyEnv)

  it('consist of the current and the previous keys', () => {
    const given = { KEY_ENCRYPTION_KEY: one.toString('base64') }
    expect(encryptionKeysOf(readEnv(Keys, given))).toEqual([one])
    const both = { ...given, KEY_ENCRYPTION_KEY_PREVIOUS: two.toString('base64') }
    expect(encryptionKeysOf(readEnv(Keys, both))).toEqual([one, two])
    expect(() => readEnv(Keys, { ...given, KEY_ENCRYPTION_KEY_PREVIOUS: 'aHVzaA==' })).toThrow(
      'KEY_ENCRYPTION_KEY_PREVIOUS.0: must be 32 bytes in base64',
    )
  })
})
