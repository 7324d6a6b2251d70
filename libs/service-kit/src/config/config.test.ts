import { describe, expect, it } from '@jest/globals'
import * as z from 'zod'
import {
  durationBetween,
  encryptionKeyEnv,
  httpEnv,
  postgresEnv,
  readEnv,
  redisEnv,
} from './config.ts'

const Env = z.object({
  ...httpEnv,
  ...postgresEnv,
  ...redisEnv,
  ...encryptionKeyEnv,
})
const env = {
  PORT: '3000',
  INTERNAL_PORT: '3001',
  DATABASE_URL: 'postgres://u:p@db/x',
  REDIS_URL: 'redis://r:6379',
  KEY_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
}

describe('readEnv', () => {
  it('reads the variables and fills in defaults', () => {
    expect(readEnv(Env, env)).toEqual({
      ...env,
      PORT: 3000,
      INTERNAL_PORT: 3001,
      HOST: '127.0.0.1',
      LOG_LEVEL: 'info',
      KEY_ENCRYPTION_KEY: Buffer.alloc(32, 1),
      KEY_ENCRYPTION_KEY_PREVIOUS: [],
    })
  })

  it('treats an empty variable as unset', () => {
    expect(readEnv(Env, { ...env, HOST: '' })).toMatchObject({ HOST: '127.0.0.1' })
    expect(() => readEnv(Env, { ...env, PORT: '' })).toThrow('PORT: is not set')
  })

  it('names every fault in one error, without values', () => {
    const faulty = {
      ...env,
      PORT: '70000',
      DATABASE_URL: 'mysql://hush:hush@db',
      KEY_ENCRYPTION_KEY: 'aHVzaA==',
      REDIS_URL: undefined,
    }
    const read = () => readEnv(Env, faulty)
    const names = ['PORT', 'DATABASE_URL', 'KEY_ENCR']
    for (const name of names) expect(read).toThrow(name)
    expect(read).toThrow('REDIS_URL: is not set')
    expect(read).not.toThrow(/hush|aHVzaA/)
  })
})

describe('durations', () => {
  it('are accepted only within their bounds', () => {
    const Bounded = z.object({ WAIT: durationBetween('100ms', '1m') })
    expect(readEnv(Bounded, { WAIT: '60s' })).toEqual({ WAIT: 60_000 })
    expect(() => readEnv(Bounded, { WAIT: '99ms' })).toThrow('WAIT: must be 100ms to 1m')
    expect(() => readEnv(Bounded, { WAIT: 'soon' })).toThrow('WAIT: "soon" is not a duration')
  })
})
