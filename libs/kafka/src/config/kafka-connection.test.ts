import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from '@jest/globals'
import { readEnv } from '@surehook/service-kit/config/config'
import * as z from 'zod'
import { kafkaConnection, kafkaSecurity, registrySecurity } from './kafka-connection.ts'
import { kafkaEnv } from './kafka-env.ts'

const env = { KAFKA_BROKERS: 'a:9092', SCHEMA_REGISTRY_URL: 'https://registry:8081' }
const read = (more: NodeJS.ProcessEnv) => readEnv(z.object(kafkaEnv), { ...env, ...more })

const dir = mkdtempSync(join(tmpdir(), 'kafka-connection-'))
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
    [{ KAFKA_CA_FILE: caFile }, 'KAFKA_CA_FILE: requires KAFKA_TLS=true'],
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
      'SCHEMA_REGISTRY_CA_FILE: requires an https SCHEMA_REGISTRY_URL',
    ],
    [{ SCHEMA_REGISTRY_URL: 'https://u:p@r' }, 'SCHEMA_REGISTRY_URL: the user belongs into'],
  ])('refuses %j and names the variable', (more, message) => {
    expect(() => registrySecurity(read(more))).toThrow(message)
  })
})
