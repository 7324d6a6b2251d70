import { expect, it } from '@jest/globals'
import { readConfig } from './config.ts'

const env = {
  INTERNAL_PORT: '0',
  KAFKA_BROKERS: 'k:9092',
  SCHEMA_REGISTRY_URL: 'http://registry',
  REDIS_URL: 'redis://redis',
  KEY_ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
}

it.each([
  ['5s', { graceMs: 10_000, drainMs: 6_000 }],
  ['100ms', { graceMs: 10_000, drainMs: 1_100 }],
  ['60s', { graceMs: 65_000, drainMs: 8_000 }],
])('gives attempts of %s time to end when it stops or hands over', (timeout, expected) => {
  expect(readConfig({ ...env, WEBHOOK_TIMEOUT: timeout })).toMatchObject(expected)
})

it.each([
  [{}, 16 * 3_600_000],
  [{ WEBHOOK_RETRY_LADDER: '1s,5s,30s,5m' }, 10 * 60_000],
  [{ WEBHOOK_RETRY_DELAYS: '1s,7d' }, 14 * 24 * 3_600_000],
  [{ WEBHOOK_CIRCUIT_COOLDOWN: '24h' }, 48 * 3_600_000],
])('remembers failures of an endpoint beyond retries and cooldown: %j', (change, forgetAfterMs) => {
  expect(readConfig({ ...env, ...change })).toMatchObject({ circuit: { forgetAfterMs } })
})

it.each([
  ['WEBHOOK_TIMEOUT', '99ms', 'must be 100ms to 60s'],
  ['WEBHOOK_TIMEOUT', '2m', 'must be 100ms to 60s'],
  ['WEBHOOK_CIRCUIT_COOLDOWN', '0s', 'must be 100ms to 24h'],
  ['WEBHOOK_CIRCUIT_COOLDOWN', '30d', 'must be 100ms to 24h'],
])('refuses %s=%s', (name, value, reason) => {
  expect(() => readConfig({ ...env, [name]: value })).toThrow(`${name}: ${reason}`)
})

it('keeps connections to twice as many receivers as get attempts at once', () => {
  expect(readConfig({ ...env, WEBHOOK_CONCURRENCY: '50' })).toMatchObject({
    attempt: { maxPools: 100 },
  })
})
