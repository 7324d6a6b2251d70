import { expect, it } from '@jest/globals'
import type { Ledger } from '@surehook/client'
import { holesOf, ledgerCommand, totalsOf, verdictOf } from './ledger-text.ts'

const places = { delivered: 8, dead: 1, pending: 1, retrying: 2, paused: 3, cancelled: 0 }
const total: Ledger['total'] = {
  ...{ matched: 18, ...places, neverMatched: 1, lost: 2, unexpected: 3 },
  ...{ awaiting: 0, unverified: 0, endedTwice: 0 },
  asked: { made: 9, ...places, lost: 4, endedTwice: 0 },
}
const ledger: Ledger = {
  ...{ from: '2026-01-01T00:00:00Z', to: '2026-01-01T01:00:00Z', takenAt: '2026-01-01T01:00:00Z' },
  ...{ seconds: 1, complete: true, closes: true, notes: [], changes: 20, total },
  ...{ webhooks: [], webhooksLeftOut: 0, holes: [], holesLeftOut: 0, endedTwice: [] },
}

it('counts holes of changes and of what was asked for', () => {
  expect(holesOf(total)).toBe(10)
  expect(totalsOf(total)).toContainEqual(['Holes', '10'])
})

it('says whether a ledger closes, and why it could not be taken', () => {
  expect(verdictOf(ledger).tone).toBe('good')
  const holes = ['lost', 'unexpected'].map((reason) => ({
    ...{ projectId: 'shop', environment: 'master', webhookId: 'w', eventId: 'e', asked: false },
    reason: reason as 'lost' | 'unexpected',
  }))
  const open = verdictOf({ ...ledger, closes: false, holes, holesLeftOut: 1 })
  expect(open.title).toBe('The ledger does not close: 3 holes')
  expect(open.text).toContain('Replay the changes')
  const tooMany = verdictOf({ ...ledger, closes: false, holes: holes.slice(1) })
  expect(tooMany.text).toContain('Nothing is missing')
  const notes = ['Ask for a shorter span.']
  expect(verdictOf({ ...ledger, complete: false, closes: false, notes })).toMatchObject({
    tone: 'warn',
    text: 'Ask for a shorter span.',
  })
})

it('writes the command of the same ledger', () => {
  const { from, to } = ledger
  expect(ledgerCommand({ from, to, project: 'shop' })).toBe(
    `npx surehook ledger --from ${from} --to ${to} --project shop`,
  )
})
