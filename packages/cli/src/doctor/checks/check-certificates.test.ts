import { expect, it } from '@jest/globals'
import { tlsPlaces } from './check-certificates.ts'

it('finds the host and port of every server, including IP addresses', () => {
  const env = {
    KAFKA_TLS: 'true',
    KAFKA_BROKERS: 'kafka-1:9093, 10.0.0.1:9094,[fd00::1]:9095',
    DATABASE_URL: 'postgres://me@[fd00::2]/surehook?sslmode=verify-full',
    REDIS_URL: 'rediss://[fd00::3]:6380',
    PUBLIC_URL: 'http://localhost',
  }
  const places = tlsPlaces({ env, baseUrl: 'https://hooks.example' })
  expect(places.map(({ what, host, port }) => [what, host, port])).toEqual([
    ['PostgreSQL', 'fd00::2', 5432],
    ['the gateway', 'hooks.example', 443],
    ['Redis', 'fd00::3', 6380],
    ['Kafka', 'kafka-1', 9093],
    ['Kafka', '10.0.0.1', 9094],
    ['Kafka', 'fd00::1', 9095],
  ])
})
