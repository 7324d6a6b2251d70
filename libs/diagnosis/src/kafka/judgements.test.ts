import { describe, expect, it } from '@jest/globals'
import type { Finding } from '../finding.ts'
import { judgeGroup } from './judge-groups.ts'
import { judgeReplicas } from './judge-topics.ts'
import { behindOf, type GroupState } from './read-groups.ts'

const levels = (findings: readonly Finding[]) => findings.map(({ level }) => level)

describe('judgeGroup', () => {
  const good: GroupState = {
    group: 'webhook-matcher',
    state: 'Stable',
    members: 1,
    partitions: 8,
    unused: [],
    lag: 0,
    lost: [],
  }

  it.each([
    [{}, ['ok']],
    [{ members: 0, state: 'Empty' }, ['wrong']],
    [{ members: 7 }, ['ok']],
    [{ members: 8 }, ['warn']],
    [{ unused: [3, 5] }, ['warn']],
    [{ lag: 101 }, ['warn']],
    [{ state: 'PreparingRebalance' }, ['skipped']],
    [{ lost: ['changes'] }, ['wrong', 'ok']],
  ])('judges %j as %j', (given, expected) => {
    expect(levels(judgeGroup({ ...good, ...given }, 100))).toEqual(expected)
  })

  it('counts from the first record that still exists', () => {
    expect(behindOf(-1, { low: 10, high: 15 })).toEqual({ lag: 5, isLost: false })
    expect(behindOf(12, { low: 10, high: 15 })).toEqual({ lag: 3, isLost: false })
    expect(behindOf(7, { low: 10, high: 15 })).toEqual({ lag: 5, isLost: true })
  })
})

describe('judgeReplicas', () => {
  const good = { leader: 1, replicas: [1, 2], isr: [1, 2] }

  it.each([
    [{}, []],
    [{ leader: -1 }, ['wrong']],
    [{ isr: [1] }, ['warn']],
    [{ leader: -1, isr: [] }, ['wrong', 'warn']],
  ])('judges %j as %j', (given, expected) => {
    expect(levels(judgeReplicas('changes', [good, { ...good, ...given }]))).toEqual(expected)
  })
})
