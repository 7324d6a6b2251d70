import { expect, it } from '@jest/globals'
import { delayNames, delayWords } from './retry-delays.ts'

it('offers the present delay too', () => {
  expect(delayNames('30s').filter((name) => name === '30s')).toHaveLength(1)
  expect(delayNames('100ms').at(-1)).toBe('100ms')
})

it.each([
  ['1s', '1 second'],
  ['30m', '30 minutes'],
  ['2h', '2 hours'],
  ['100ms', '100 milliseconds'],
  ['soon', 'soon'],
])('shows %s as %s', (name, words) => expect(delayWords(name)).toBe(words))
