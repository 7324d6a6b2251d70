import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import type { RunningSystem } from '../lib/running-system.ts'
import { serviceNames } from '../lib/service-catalog.ts'
import { findTarget } from './target.ts'

const nothing = { 'env-file': undefined, url: undefined, service: [] }
const running: RunningSystem = {
  baseUrl: 'http://localhost:8080',
  adminToken: 'local-token',
  databaseUrl: 'postgres://local',
  kafkaBrokers: '127.0.0.1:9092',
  schemaRegistryUrl: 'http://127.0.0.1:8081',
  redisUrl: 'redis://127.0.0.1:6379',
  circuitCooldown: '2m',
  retryDelays: ['1s', '2s'],
}
const ioWith = (env: NodeJS.ProcessEnv) => ({
  env,
  note: () => undefined,
  signal: new AbortController().signal,
  now: Date.now,
})

describe('findTarget', () => {
  it('uses the system of this checkout by default', () => {
    const target = findTarget(nothing, ioWith({ PATH: '/bin' }), () => running)
    expect(target).toMatchObject({ isLocal: true, baseUrl: running.baseUrl, services: [] })
    expect(target.env).toMatchObject({
      KAFKA_BROKERS: '127.0.0.1:9092',
      WEBHOOK_RETRY_DELAYS: '1s,2s',
    })
    expect(() => findTarget(nothing, ioWith({}), () => null)).toThrow('nothing to check')
  })

  it('uses the environment, and checks no services unless they are named', () => {
    const io = ioWith({ KAFKA_BROKERS: 'kafka:9092', SUREHOOK_URL: 'http://gateway/' })
    const target = findTarget(nothing, io, () => running)
    expect(target).toMatchObject({ isLocal: false, baseUrl: 'http://gateway', services: [] })
    const one = findTarget({ ...nothing, service: ['data-api'] }, io, () => running)
    expect(one.services).toEqual(['data-api'])
    expect(() => findTarget({ ...nothing, service: ['data'] }, io)).toThrow('--service')
  })

  it('prefers a file to the environment, for all services', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'surehook-target-')), 'env')
    writeFileSync(file, '# ours\nKAFKA_BROKERS="kafka:9092"\n')
    const io = ioWith({ KAFKA_BROKERS: 'other:9092' })
    const target = findTarget({ ...nothing, 'env-file': file }, io)
    expect(target.env['KAFKA_BROKERS']).toBe('kafka:9092')
    expect(target.services).toEqual(serviceNames)
    expect(() => findTarget({ ...nothing, 'env-file': '/nowhere' }, io)).toThrow('--env-file')
  })
})
