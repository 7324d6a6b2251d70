import { expect, it } from '@jest/globals'
import { plannedAttempts } from './planned-attempts.ts'

const retryDelays = ['1s', '5s', '30s', '5m']
const next = '2026-01-01T12:00:05.000Z'
const at = (time: string) => Date.parse(`2026-01-01T${time}.000Z`)

it('plans the next attempt and, in case it fails, each further one', () => {
  const delivery = { status: 'retrying', attempts: 2, nextAttemptAt: next, retryDelays } as const
  expect(plannedAttempts(delivery)).toEqual([
    { attempt: 3, at: at('12:00:05'), after: '5s' },
    { attempt: 4, at: at('12:00:35'), after: '30s' },
    { attempt: 5, at: at('12:05:35'), after: '5m' },
  ])
})

it('knows no times while the circuit is open', () => {
  const paused = { status: 'paused', attempts: 0, nextAttemptAt: null, retryDelays } as const
  const planned = plannedAttempts(paused)
  expect(planned.map((one) => [one.attempt, one.at, one.after])).toEqual([
    [1, null, null],
    [2, null, '1s'],
    [3, null, '5s'],
    [4, null, '30s'],
    [5, null, '5m'],
  ])
})

it('plans the one that is due if the schedule became shorter, and none after the end', () => {
  const late = {
    status: 'retrying',
    attempts: 4,
    nextAttemptAt: next,
    retryDelays: ['2h'],
  } as const
  expect(plannedAttempts(late)).toEqual([{ attempt: 5, at: at('12:00:05'), after: null }])
  for (const status of ['delivered', 'dead_letter', 'cancelled'] as const) {
    expect(plannedAttempts({ ...late, status })).toEqual([])
  }
})

it('plans the next attempt without the delays, which an older version does not tell', () => {
  const older = { status: 'retrying', attempts: 2, nextAttemptAt: next } as const
  expect(plannedAttempts(older)).toEqual([{ attempt: 3, at: at('12:00:05'), after: null }])
})
