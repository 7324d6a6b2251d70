import { expect, it } from '@jest/globals'
import { isRunning, progressText, titleOf } from './replay-text.ts'

it('says how far a replay is', () => {
  expect(progressText({ scanned: 1_200, deliveries: 1 })).toBe(
    '1,200 changes read, 1 delivery made.',
  )
  expect(isRunning({ state: 'running' })).toBe(true)
  expect(isRunning({ state: 'cancelled' })).toBe(false)
  expect(titleOf({ state: 'cancelled' })).toBe('The replay was cancelled')
})
