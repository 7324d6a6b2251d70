import { expect, it } from '@jest/globals'
import { pino } from 'pino'
import type { PartitionBounds } from './log-ends.ts'
import { TruncatedLogs } from './truncated-logs.ts'

const at = { topic: 'a', partition: 0 }
const logsOf = (bounds: PartitionBounds[]) =>
  new TruncatedLogs({ readLed: async () => bounds }, pino({ level: 'silent' }))

it('a log that ends before the next offset is truncated', async () => {
  const logs = logsOf([{ ...at, start: 0, end: 5 }])
  expect([await logs.find(at, 5), logs.has(at)]).toEqual([false, false])
  expect([await logs.find(at, 6), logs.has(at)]).toEqual([true, true])
})

it('a log without a leader must be asked for again', async () => {
  const logs = logsOf([])
  await expect(logs.find(at, 6)).rejects.toThrow('a/0 has no leader')
  expect(logs.has(at)).toBe(false)
})
