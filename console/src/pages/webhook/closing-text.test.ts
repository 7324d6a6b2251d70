import { expect, it } from '@jest/globals'
import { closingText } from './closing-text.ts'

it('says what closing a circuit sends', () => {
  expect(closingText({ paused: 0 })).toContain('No delivery is paused')
  expect(closingText({ paused: 1 })).toContain('1 paused delivery at once')
  expect(closingText({ paused: 1_200 })).toContain('1,200 paused deliveries at once')
})
