import { describe, expect, it } from '@jest/globals'
import { readEnv } from '@surehook/service-kit/config/config'
import * as z from 'zod'
import { kafkaEnv } from './kafka-env.ts'

const env = { KAFKA_BROKERS: 'a:9092, b:9092', SCHEMA_REGISTRY_URL: 'http://registry:8081' }
const read = (more: NodeJS.ProcessEnv = {}) => readEnv(z.object(kafkaEnv), { ...env, ...more })

it('reads the variables and fills in defaults', () => {
  expect(read()).toEqual({
    ...env,
    KAFKA_BROKERS: ['a:9092', 'b:9092'],
    KAFKA_PARTITIONS: 8,
    KAFKA_REPLICATION_FACTOR: 1,
    KAFKA_TLS: false,
    KAFKA_CREATE_TOPICS: true,
    WEBHOOK_RETRY_DELAYS: [
      { name: '1s', ms: 1_000 },
      { name: '5s', ms: 5_000 },
      { name: '30s', ms: 30_000 },
      { name: '5m', ms: 300_000 },
    ],
  })
})

it('names each member of a list that is at fault', () => {
  const faulty = () => read({ KAFKA_BROKERS: 'a', WEBHOOK_RETRY_DELAYS: '1s,soon' })
  expect(faulty).toThrow('KAFKA_BROKERS.0')
  expect(faulty).toThrow('WEBHOOK_RETRY_DELAYS.1')
})

describe('retry delays', () => {
  it.each(['9ms', '0s', '8d'])('refuse %s', (delay) => {
    expect(() => read({ WEBHOOK_RETRY_DELAYS: `1s,${delay}` })).toThrow(
      'WEBHOOK_RETRY_DELAYS.1: must be 10ms to 7d',
    )
  })

  it.each(['10ms', '7d'])('accept %s', (delay) => {
    expect(read({ WEBHOOK_RETRY_DELAYS: delay })).toMatchObject({
      WEBHOOK_RETRY_DELAYS: [{ name: delay }],
    })
  })
})
