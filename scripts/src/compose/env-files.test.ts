import { readFileSync } from 'node:fs'
import { expect, it } from '@jest/globals'
import { repoRoot } from '../lib/paths.ts'
import { serviceNames } from '../system/service-catalog.ts'
import { envFilesOf } from './env-files.ts'
import { infrastructureImages } from './infrastructure-images.ts'

const compose = readFileSync(`${repoRoot}/docker-compose.yml`, 'utf8')
const files = envFilesOf({
  adminToken: 'the-admin-token',
  keyEncryptionKey: 'the-key',
  serviceToken: 'the-service-token',
  postgresPassword: 'of-postgres',
  databasePasswords: {
    'auth-service': 'of-auth',
    'data-api': 'of-data',
    'postgres-source': 'of-sources',
    'webhook-api': 'of-webhooks',
  },
  grafanaPassword: 'of-grafana',
})

it('makes the files that docker-compose.yml reads, and no others', () => {
  const read = [...compose.matchAll(/env_file: .*\/([a-z-]+)\.env$/gm)].map(([, name]) => name)
  expect(read.toSorted()).toEqual(Object.keys(files).toSorted())
})

it('gives each container its own secrets', () => {
  expect(Object.keys(files['auth-service'] ?? {}).toSorted()).toEqual([
    'DATABASE_URL',
    'KEY_ENCRYPTION_KEY',
    'PLATFORM_ADMIN_TOKEN',
    'SERVICE_TOKEN',
    'UV_THREADPOOL_SIZE',
  ])
  expect(files['data-api']).toEqual({
    DATABASE_URL: 'postgres://surehook_data_api:of-data@postgres:5432/surehook',
    SERVICE_TOKEN: 'the-service-token',
  })
  expect(files['postgres-source']).toEqual({
    DATABASE_URL: 'postgres://surehook_postgres_source:of-sources@postgres:5432/surehook',
    KEY_ENCRYPTION_KEY: 'the-key',
  })
  expect(files['webhook-dispatcher']).toEqual({ KEY_ENCRYPTION_KEY: 'the-key' })
  expect(JSON.stringify(files['webhook-api'])).not.toContain('the-admin-token')
})

it('gives one process the secrets of all services, each with its own role', () => {
  const { UV_THREADPOOL_SIZE: _threads, ...secrets } = files['single-process'] ?? {}
  expect(secrets).toEqual({
    DATABASE_URL_AUTH_SERVICE: 'postgres://surehook_auth_service:of-auth@postgres:5432/surehook',
    DATABASE_URL_DATA_API: 'postgres://surehook_data_api:of-data@postgres:5432/surehook',
    DATABASE_URL_POSTGRES_SOURCE:
      'postgres://surehook_postgres_source:of-sources@postgres:5432/surehook',
    DATABASE_URL_WEBHOOK_API: 'postgres://surehook_webhook_api:of-webhooks@postgres:5432/surehook',
    KEY_ENCRYPTION_KEY: 'the-key',
    PLATFORM_ADMIN_TOKEN: 'the-admin-token',
    PLATFORM_ADMIN_TOKEN_SHA256: expect.stringMatching(/^[0-9a-f]{64}$/),
    SERVICE_TOKEN: 'the-service-token',
  })
})

it('gives the roles the passwords that their services have', () => {
  expect(files['prepare-database']).toEqual({
    DATABASE_URL: 'postgres://postgres:of-postgres@postgres:5432/surehook',
    DATABASE_PASSWORD_AUTH_SERVICE: 'of-auth',
    DATABASE_PASSWORD_DATA_API: 'of-data',
    DATABASE_PASSWORD_POSTGRES_SOURCE: 'of-sources',
    DATABASE_PASSWORD_WEBHOOK_API: 'of-webhooks',
  })
})

it('finds every service and the infrastructure in docker-compose.yml', async () => {
  for (const name of serviceNames) expect(compose).toMatch(new RegExp(`^  ${name}:$`, 'm'))
  expect(await infrastructureImages()).toEqual([
    expect.stringMatching(/^apache\/kafka:\d/),
    expect.stringMatching(/^apicurio\/apicurio-registry-\w+:\d/),
    expect.stringMatching(/^postgres:\d+$/),
    expect.stringMatching(/^redis:\d+$/),
  ])
})

it('gives the gateway the address that clients see, and the proxies to trust', () => {
  const [, gateway = ''] = /^ {2}gateway:\n((?: {4}.*\n)+)/m.exec(compose) ?? []
  expect(gateway).toMatch(/^ +PUBLIC_URL: \$\{PUBLIC_URL:-http:\/\/localhost:8080\}$/m)
  expect(gateway).toMatch(/^ +TRUSTED_PROXIES: \$\{TRUSTED_PROXIES:-\}$/m)
})
