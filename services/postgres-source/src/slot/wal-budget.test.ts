import { expect, test } from '@jest/globals'
import { budgetState } from './wal-budget.ts'

const sample = (retained: number, at = 0) => ({ retained, at })

test.each([
  [499, 'ok'],
  [500, 'half'],
  [999, 'half'],
  [1000, 'exhausted'],
  [2000, 'exhausted'],
])('%d of 1,000 bytes are %s', (retained, level) => {
  expect(budgetState(1000, { now: sample(retained), before: null }).level).toBe(level)
})

test('the rest of the budget lasts as long as it did to grow so far', () => {
  const growing = { before: sample(100, 0), now: sample(400, 60_000) }
  expect(budgetState(1000, growing).exhaustedInS).toBe(120)
  expect(budgetState(1000, { before: sample(400), now: sample(400, 1) }).exhaustedInS).toBeNull()
  expect(budgetState(1000, { before: sample(400), now: sample(300, 1) }).exhaustedInS).toBeNull()
  expect(budgetState(1000, { before: sample(100), now: sample(400) }).exhaustedInS).toBeNull()
})
