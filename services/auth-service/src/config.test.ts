import { availableParallelism } from 'node:os'
import { describe, expect, it } from '@jest/globals'
import { readConfig } from './config.ts'

const required = {
  PORT: '0',
  INTERNAL_PORT: '0',
  DATABASE_URL: 'postgres://localhost/surehook',
  KAFKA_BROKERS: 'localhost:9092',
  SCHEMA_REGISTRY_URL: 'http://localhost:8081',
  REDIS_URL: 'redis://localhost',
  KEY_ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
  PLATFORM_ADMIN_TOKEN: 'x'.repeat(16),
  SERVICE_TOKEN: 'y'.repeat(16),
  PUBLIC_URL: 'https://auth.example/',
  SMTP_URL: 'smtp://localhost',
  UV_THREADPOOL_SIZE: '1024',
}
const read = (change: Record<string, string> = {}) => readConfig({ ...required, ...change })

describe('the threads', () => {
  it('must be two more than the concurrent hashes, and the error names both variables', () => {
    const threads = (UV_THREADPOOL_SIZE: string, AUTH_HASH_CONCURRENCY: string) =>
      read({ UV_THREADPOOL_SIZE, AUTH_HASH_CONCURRENCY })
    expect(threads('10', '8').hashing.concurrency).toBe(8)
    expect(() => threads('9', '8')).toThrow(
      'UV_THREADPOOL_SIZE: must be at least 10, since AUTH_HASH_CONCURRENCY is 8',
    )
    // An unset UV_THREADPOOL_SIZE means four threads.
    expect(threads('', '2').hashing.concurrency).toBe(2)
    expect(() => threads('', '3')).toThrow('UV_THREADPOOL_SIZE: must be at least 5')
  })

  it('must suffice for all cores if the number of hashes is not set', () => {
    const cores = availableParallelism()
    expect(read({ UV_THREADPOOL_SIZE: String(cores + 2) }).hashing.concurrency).toBe(cores)
    expect(() => read({ UV_THREADPOOL_SIZE: String(cores + 1) })).toThrow('UV_THREADPOOL_SIZE')
  })
})

it('publishes a key at least as long as verifiers may cache a key set', () => {
  expect(read().keyLeadMs).toBe(7 * 60_000)
  expect(read({ AUTH_KEY_LEAD: '5m' }).keyLeadMs).toBe(5 * 60_000)
  expect(() => read({ AUTH_KEY_LEAD: '4m' })).toThrow('AUTH_KEY_LEAD: must be 5m to 7d')
})

it('trusts the declared proxies, by default only this machine', () => {
  const proxies = (text?: string) =>
    read(text === undefined ? {} : { AUTH_TRUSTED_PROXIES: text }).trustedProxies.map(
      ([network, prefix]) => `${network.toString()}/${prefix}`,
    )
  expect(proxies()).toEqual(['127.0.0.0/8', '::1/128'])
  expect(proxies('10.1.0.0/16, 192.0.2.7')).toEqual(['10.1.0.0/16', '192.0.2.7/32'])
  expect(() => proxies('gateway')).toThrow('AUTH_TRUSTED_PROXIES')
})
