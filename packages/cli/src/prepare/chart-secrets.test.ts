import { createHash } from 'node:crypto'
import { expect, it } from '@jest/globals'
import { newChartSecrets, secretManifests } from './chart-secrets.ts'

const servers = {
  databaseUrl: 'postgres://admin:secret@db:5432/surehook',
  redisUrl: 'redis://redis:6379',
  smtpUrl: 'smtp://mail:25',
}

it('gives each service its own role, and the operator the passwords of all', () => {
  const secrets = newChartSecrets(servers)
  expect(Object.keys(secrets).toSorted()).toEqual([
    'auth-service-secrets',
    'data-api-secrets',
    'operator-secrets',
    'postgres-source-secrets',
    'secrets',
    'webhook-api-secrets',
    'webhook-dispatcher-secrets',
  ])
  expect(secrets['webhook-dispatcher-secrets']).toEqual({ REDIS_URL: servers.redisUrl })
  const url = new URL(secrets['data-api-secrets']?.['DATABASE_URL'] ?? '')
  expect(url.username).toBe('surehook_data_api')
  expect(url.host + url.pathname).toBe('db:5432/surehook')
  expect(secrets['operator-secrets']).toMatchObject({
    DATABASE_URL: servers.databaseUrl,
    DATABASE_PASSWORD_DATA_API: url.password,
  })
})

it('makes the digest of the token that it makes, and other secrets each time', () => {
  const { secrets } = newChartSecrets(servers)
  const { PLATFORM_ADMIN_TOKEN: token = '', PLATFORM_ADMIN_TOKEN_SHA256: digest } = secrets ?? {}
  expect(createHash('sha256').update(token).digest('hex')).toBe(digest)
  expect(newChartSecrets(servers)).not.toEqual(newChartSecrets(servers))
  expect(secrets).not.toHaveProperty('SCHEMA_REGISTRY_PASSWORD')
})

it('gives each service its own user of Redis, where the URL asks for it', () => {
  const secrets = newChartSecrets({ ...servers, redisUrl: 'rediss://{service}:pw@redis:6380' })
  expect(secrets['data-api-secrets']?.['REDIS_URL']).toBe('rediss://data-api:pw@redis:6380')
})

it('names the Secrets as the chart does', () => {
  const manifests = secretManifests(newChartSecrets(servers), { release: 'my', namespace: 'ours' })
  expect(manifests.map(({ metadata }) => metadata)).toContainEqual({
    name: 'my-webhook-api-secrets',
    namespace: 'ours',
  })
  expect(manifests.map(({ metadata }) => metadata.name)).toContain('my-secrets')
})
