import { expect, it } from '@jest/globals'
import { ReceivedIds } from '../receiver/received-ids.ts'
import { PathStats, slowestOf } from './path-stats.ts'

it('counts accepted deliveries, each id once, across resets', () => {
  const ids = new ReceivedIds()
  const stats = new PathStats(ids)
  expect(stats.report).toMatchObject({ unique: 0, repeated: 0 })
  stats.accepted('a')
  stats.accepted('a')
  expect(stats.report).toMatchObject({ unique: 1, repeated: 1 })
  ids.startAgain()
  const next = new PathStats(ids)
  next.accepted('a')
  next.accepted('b')
  expect(next.report).toMatchObject({ unique: 1, repeated: 1 })
})

it('sums received, repeated and missing deliveries of several paths', () => {
  const { report } = new PathStats(new ReceivedIds())
  const one = { ...report, unique: 5, repeated: 1, missing: 2 }
  expect(slowestOf([one, one])).toMatchObject({ unique: 10, repeated: 2, missing: 4 })
})
