import { expect, it } from '@jest/globals'
import { areasOf, type Finding, summaryOf } from './areas.ts'

const finding = (area: string, level: Finding['level']): Finding => ({ area, level, says: level })

it('groups findings by area, and shows the worst of each', () => {
  const areas = areasOf([
    finding('slots', 'ok'),
    finding('kafka', 'warn'),
    finding('slots', 'wrong'),
    finding('redis', 'skipped'),
    finding('redis', 'ok'),
  ])
  expect(areas.map(({ name, level, findings }) => [name, level, findings.length])).toEqual([
    ['slots', 'wrong', 2],
    ['kafka', 'warn', 1],
    ['redis', 'skipped', 2],
  ])
})

it.each([
  [['ok', 'skipped'], 'No check fails'],
  [['ok', 'warn'], '1 to look at'],
  [['warn', 'wrong', 'wrong'], '2 wrong'],
  [[], 'No check fails'],
] as const)('sums %j up as %s', (levels, text) => {
  expect(summaryOf(levels.map((level) => finding('kafka', level))).text).toBe(text)
})
