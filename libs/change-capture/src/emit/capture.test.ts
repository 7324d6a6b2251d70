import { describe, expect, it } from '@jest/globals'
import * as fc from 'fast-check'
import { formatLsn, parseLsn } from '../slot/lsn.ts'
import { captureSql, parseCaptured } from './capture.ts'

describe('parseCaptured', () => {
  it('splits at the first line break only', () => {
    expect(parseCaptured('{"topic":"t","key":"k","n":1}\nline 1\nline 2')).toEqual({
      header: { topic: 't', key: 'k', n: 1 },
      body: 'line 1\nline 2',
    })
  })

  it.each(['', 'poison', '{"topic":"t"}\n', '[]\n', 'null\n', '{"topic":1,"key":"k"}\n', '{\n}'])(
    'refuses %j',
    (content) => {
      expect(() => parseCaptured(content)).toThrow()
    },
  )
})

describe('captureSql', () => {
  it('accepts only service names, because the SQL contains them unescaped', () => {
    expect(captureSql('data-api', '$1', '$2')).toContain(`'surehook/data-api'`)
    expect(() => captureSql(`x'; drop table users; --`, '$1', '$2')).toThrow('service name')
  })
})

describe('LSNs', () => {
  it('survive the way there and back', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (lsn) => {
        expect(parseLsn(formatLsn(lsn))).toBe(lsn)
      }),
    )
    expect(parseLsn('16/B374D848')).toBe(0x16b374d848n)
  })
})
