import { describe, expect, it } from '@jest/globals'
import { checkConfiguration } from './check-configuration.ts'

const io = {
  env: {},
  note: () => undefined,
  signal: new AbortController().signal,
  now: Date.now,
}
const good = {
  DATABASE_URL: 'postgres://localhost/surehook',
  KAFKA_BROKERS: 'localhost:9092',
  SCHEMA_REGISTRY_URL: 'http://localhost:8081',
  REDIS_URL: 'redis://localhost',
  KEY_ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
  PLATFORM_ADMIN_TOKEN: 'x'.repeat(16),
  SERVICE_TOKEN: 'y'.repeat(16),
  PUBLIC_URL: 'https://auth.example/',
  SMTP_URL: 'smtp://localhost',
}

describe('checkConfiguration of auth-service', () => {
  const judge = (env: NodeJS.ProcessEnv) =>
    checkConfiguration({
      env: { ...good, ...env },
      services: ['auth-service'],
      baseUrl: null,
      isLocal: false,
      io,
    })

  it('reports too few threads as the service does', async () => {
    const says =
      'auth-service: UV_THREADPOOL_SIZE: must be at least 10, since AUTH_HASH_CONCURRENCY is 8'
    for (const threads of [{}, { UV_THREADPOOL_SIZE: '9' }]) {
      expect(await judge({ AUTH_HASH_CONCURRENCY: '8', ...threads })).toEqual([
        expect.objectContaining({ level: 'wrong', says }),
      ])
    }
  })

  it('does not require the ports, which each process sets', async () => {
    expect(await judge({ AUTH_HASH_CONCURRENCY: '8', UV_THREADPOOL_SIZE: '10' })).toEqual([
      expect.objectContaining({ level: 'ok', says: 'auth-service would start' }),
    ])
  })

  it('names the machine whose cores it has counted', async () => {
    const [finding] = await judge({ UV_THREADPOOL_SIZE: '1' })
    expect(finding).toMatchObject({
      level: 'wrong',
      advice: expect.stringContaining('AUTH_HASH_CONCURRENCY'),
    })
  })
})
