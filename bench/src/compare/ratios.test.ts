import { expect, it } from '@jest/globals'
import { compare } from './ratios.ts'

it('returns the ratios of the medians of both versions', () => {
  const run = (rate: string) => [
    { title: 't', measure: 'rate', value: rate },
    { title: 't', measure: `only ${rate}`, value: '1' },
  ]
  const before = ['100/s', '1,000/s', '200/s'].map(run)
  const after = ['500/s', '300/s', '400/s'].map(run)
  expect(compare(before, after)).toEqual([
    { title: 't', measure: 'rate', before: '200', after: '400', ratio: '2.00' },
  ])
})
