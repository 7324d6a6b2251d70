import { expect, it } from '@jest/globals'
import { countedAction } from './counted-action.ts'

const counted = { found: 2, isMore: false }

it.each([
  ['counting', undefined, null, { action: 'Send', isReady: false }],
  ['counted', counted, null, { action: 'Send', isReady: true }],
  ['counted once, then not', counted, new Error('lost'), { action: 'Send', isReady: true }],
  [
    'not countable',
    undefined,
    new Error('lost'),
    { action: 'Send without a count', isReady: true },
  ],
])('while %s, the button says and does what is known', (_state, data, error, expected) => {
  expect(countedAction('Send', { data, error })).toEqual(expected)
})
