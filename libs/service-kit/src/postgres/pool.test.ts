import { expect, it } from '@jest/globals'
import { pino } from 'pino'
import { connectTimeoutMs, openPool } from './pool.ts'

const log = pino({ level: 'silent' })
const open = (query: string) =>
  openPool({ connectionString: `postgres://a:b@localhost/c${query}`, applicationName: 'test', log })

it.each([
  ['', 3_000],
  ['?sslmode=require&connect_timeout=60', 60_000],
])('waits for a connection as long as the URL says: %j', (query, ms) => {
  const pool = open(query)
  expect(pool.options.connectionTimeoutMillis).toBe(ms)
  expect(connectTimeoutMs(pool)).toBe(ms)
})

it.each(['0', '-1', '1.5', 'long', ''])('refuses connect_timeout=%s', (text) => {
  expect(() => open(`?connect_timeout=${text}`)).toThrow('connect_timeout')
})
