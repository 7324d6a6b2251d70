import { expect, it } from '@jest/globals'
import { parseHistory } from './cluster-history.ts'

it('reads the positions at which earlier timelines ended', () => {
  const text = '1\t0/5000000\tno recovery target specified\n\n2\t1/A0\tbefore 2026\n# 3\t9/9\n'
  expect(parseHistory(text)).toEqual(
    new Map([
      [1, 0x5000000n],
      [2, 0x1000000a0n],
    ]),
  )
  expect(parseHistory('')).toEqual(new Map())
})
