import { expect, it } from '@jest/globals'
import type { FoundDelivery } from '@surehook/client'
import {
  most,
  outcomeText,
  progressText,
  questionText,
  redeliverThese,
  searchOf,
} from './redeliver-these.ts'

async function* deliveries(total: number) {
  for (let n = 0; n < total; n++) yield { id: `d-${n}`, webhookId: 'w' } as FoundDelivery
}

function start(total: number, refusedId?: string, stop = new AbortController()) {
  const progress: number[] = []
  const tried: string[] = []
  const outcome = redeliverThese({
    found: deliveries(total),
    redeliver: async ({ id }) => {
      tried.push(id)
      if (id === refusedId) throw new Error('refused')
    },
    onSent: (sent) => {
      progress.push(sent)
      if (sent === 2 && refusedId === 'stop') stop.abort()
    },
    signal: stop.signal,
  })
  return { outcome, progress, tried }
}

it('sends each delivery once, and says how many are sent', async () => {
  const { outcome, progress, tried } = start(3)
  expect(await outcome).toEqual({ sent: 3, refusal: null, isMore: false })
  expect(progress).toEqual([1, 2, 3])
  expect(tried).toEqual(['d-0', 'd-1', 'd-2'])
})

it('stops at the first refusal', async () => {
  const { outcome, tried } = start(5, 'd-2')
  expect(await outcome).toEqual({ sent: 2, refusal: new Error('refused'), isMore: false })
  expect(tried).toHaveLength(3)
})

it('stops when the user does', async () => {
  const { outcome, tried } = start(5, 'stop')
  expect(await outcome).toEqual({ sent: 2, refusal: null, isMore: false })
  expect(tried).toHaveLength(2)
})

it.each([
  [most, false],
  [most + 1, true],
])('sends at most 1,000 of %p', async (total, isMore) => {
  const { outcome, tried } = start(total)
  expect(await outcome).toEqual({ sent: most, refusal: null, isMore })
  expect(tried).toHaveLength(most)
})

it('searches all pages of the filters, and nothing that is made later', () => {
  const now = new Date('2026-01-02T00:00:00Z')
  const params = new URLSearchParams('status=dead_letter&within=24h&cursor=c')
  expect(searchOf(params, now)).toEqual({
    status: 'dead_letter',
    since: '2026-01-01T00:00:00.000Z',
    until: '2026-01-02T00:00:00.000Z',
  })
})

it('asks with the number that was counted', () => {
  expect(questionText({ found: 0, isMore: false })).toContain('No delivery matches')
  expect(questionText({ found: 1, isMore: false })).toBe('1 delivery matches. This sends them all.')
  expect(questionText({ found: 1_000, isMore: true })).toBe(
    'At least 1,000 deliveries match. This sends at most 1,000 of them.',
  )
})

it.each([
  [{ found: 40, isMore: false }, '3 of 40 sent'],
  [{ found: 1_000, isMore: true }, '3 of 1,000 sent'],
  [{ found: 12, isMore: true }, '3 of at most 1,000 sent'],
  [undefined, '3 of at most 1,000 sent'],
])('of %p it shows %p', (counted, text) => {
  expect(progressText(3, counted)).toBe(text)
})

it('says what the run came to', () => {
  const done = { sent: 1, refusal: null, isMore: false }
  expect(outcomeText(done)).toBe('1 delivery was sent again.')
  expect(outcomeText({ ...done, isMore: true })).toContain('More match')
  expect(outcomeText({ ...done, sent: 2, refusal: new Error('no') })).toBe(
    'Surehook refused after 2 deliveries were sent.',
  )
})
