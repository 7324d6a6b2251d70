import { expect, it } from '@jest/globals'
import type { HistoryRebuild } from '@surehook/client'
import { leftText, rebuildText, rebuiltShare } from './jobs-text.ts'

const rebuild: HistoryRebuild = {
  ...{ id: '1', state: 'running', askedAt: '2026-01-01T12:00:00Z', finishedAt: null, since: null },
  ...{ read: 30, toRead: 40 },
}

it('shows how much of the history is back', () => {
  expect([rebuiltShare(rebuild), rebuildText(rebuild)]).toEqual([0.75, '30 of 40 records read.'])
  const begun = { ...rebuild, read: 0, toRead: 0 }
  expect([rebuiltShare(begun), rebuildText(begun)]).toEqual([
    undefined,
    'It begins: the history is being emptied.',
  ])
  const done = { ...rebuild, state: 'done' as const, read: 0, toRead: 0 }
  expect([rebuiltShare(done), rebuildText(done)]).toEqual([1, 'Rebuilt from 0 records.'])
})

it('does not claim an exact number where counting ended', () => {
  expect([leftText(999), leftText(1_000)]).toEqual(['999', 'at least 1,000'])
  expect(leftText(null)).toBe('unknown')
})
