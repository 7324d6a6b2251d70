import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from '@jest/globals'
import * as z from 'zod'
import {
  encryptionKeyEnv,
  encryptionKeysOf,
  kafkaEnv,
  postgresEnv,
  readEnv,
  redisEnv,
} from './config.ts'
import {
  databaseConnection,
  kafkaConnection,
  kafkaSecurity,
  redisConnection,
  registrySecurity,
} from './connections.ts'

const Env = z.object({ ...kafkaEnv, ...postgresEnv, ...redisEnv })
const env = {
  KAFKA_BROKERS: 'a:9092',
  SCHEMA_REGISTRY_URL: 'https://registry:8081',
  DATABASE_URL: 'postgres://u:p@db/x',
  REDIS_URL: 'rediss://user:pass@r:6379',
}
const read = (more: NodeJS.ProcessEnv) => readEnv(Env, { ...env, ...more })

const dir = mkdtempSync(join(tmpdir(), 'connections-'))
afterAll(() => rmSync(dir, { recursive: true }))
const pem = '-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n'
const caFile = join(dir, 'ca.pem')
const emptyFile = join(dir, 'empty.pem')
writeFileSync(caFile, pem)
writeFileSync(emptyFile, 'hush')

describe('Kafka', () => {
  it('uses no TLS and no user by default', () => {
    expect(kafkaConnection(read({}), 'data-api')).toEqual({
      brokers: ['a:9092'],
      clientId: expect.stringMatching(/^data-api-/),
      security: {},
      partitions: 8,
      replicationFactor: 1,
      createTopics: true,
    })
  })

  it('uses the CA, a client certificate and a password', () => {
    const secured = read({
      KAFKA_TLS: 'true',
      KAFKA_CA_FILE: caFile,
      KAFKA_CERT_FILE: caFile,
      KAFKA_KEY_FILE: caFile,
      KAFKA_SASL_MECHANISM: 'scram-sha-512',
      KAFKA_SASL_USERNAME: 'data-api',
      KAFKA_SASL_PASSWORD: 'secret',
      KAFKA_CREATE_TOPICS: 'false',
    })
    expect(kafkaSecurity(secured)).toEqual({
      ssl: { ca: pem, cert: pem, key: pem },
      sasl: { mechanism: 'scram-sha-512', username: 'data-api', password: 'secret' },
    })
    expect(kafkaConnection(secured, 'x').createTopics).toBe(false)
    expect(kafkaSecurity(read({ KAFKA_TLS: 'true' }))).toEqual({ ssl: {} })
  })

  it.each([
    [{ KAFKA_SASL_USERNAME: 'a' }, 'KAFKA_SASL_MECHANISM: is not set, and KAFKA_SASL_USERNAME is'],
    [{ KAFKA_SASL_USERNAME: 'a' }, 'KAFKA_SASL_PASSWORD: is not set, and KAFKA_SASL_USERNAME is'],
    [
      { KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_USERNAME: 'a' },
      'KAFKA_SASL_PASSWORD: is not set, and KAFKA_SASL_MECHANISM and KAFKA_SASL_USERNAME are',
    ],
    [{ KAFKA_SASL_MECHANISM: 'gssapi' }, 'KAFKA_SASL_MECHANISM: must be one of'],
    [{ KAFKA_TLS: 'yes' }, 'KAFKA_TLS: must be one of'],
    [{ KAFKA_CA_FILE: caFile }, 'KAFKA_CA_FILE: is of use with KAFKA_TLS=true only'],
    [
      { KAFKA_TLS: 'true', KAFKA_CERT_FILE: caFile },
      'KAFKA_KEY_FILE: is not set, and KAFKA_CERT_FILE is',
    ],
    [{ KAFKA_TLS: 'true', KAFKA_CA_FILE: join(dir, 'none') }, 'KAFKA_CA_FILE: ENOENT'],
    [{ KAFKA_TLS: 'true', KAFKA_CA_FILE: emptyFile }, `KAFKA_CA_FILE: ${emptyFile} is not PEM`],
  ])('refuses %j and names the variable', (more, message) => {
    expect(() => kafkaSecurity(read(more))).toThrow(message)
  })
})

describe('the registry', () => {
  it('uses the CA and a user', () => {
    expect(registrySecurity(read({}))).toEqual({})
    expect(
      registrySecurity(
        read({
          SCHEMA_REGISTRY_CA_FILE: caFile,
          SCHEMA_REGISTRY_USERNAME: 'u',
          SCHEMA_REGISTRY_PASSWORD: 'p',
        }),
      ),
    ).toEqual({ ca: pem, auth: { username: 'u', password: 'p' } })
  })

  it.each([
    [{ SCHEMA_REGISTRY_PASSWORD: 'p' }, 'SCHEMA_REGISTRY_USERNAME: is not set'],
    [{ SCHEMA_REGISTRY_USERNAME: 'p' }, 'SCHEMA_REGISTRY_PASSWORD: is not set'],
    [
      { SCHEMA_REGISTRY_URL: 'http://r', SCHEMA_REGISTRY_CA_FILE: caFile },
      'SCHEMA_REGISTRY_CA_FILE: is of use with an https SCHEMA_REGISTRY_URL only',
    ],
    [{ SCHEMA_REGISTRY_URL: 'https://u:p@r' }, 'SCHEMA_REGISTRY_URL: the user belongs into'],
  ])('refuses %j and names the variable', (more, message) => {
    expect(() => registrySecurity(read(more))).toThrow(message)
  })
})

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
      'REDIS_CA_FILE: is of use with a rediss:// REDIS_URL only',
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
