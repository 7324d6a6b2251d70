import { describe, expect, it } from '@jest/globals'
import { isKept, isRounded, numberFault, parseExactJson } from './exact-json.ts'

const pathOf = (json: string) => numberFault(parseExactJson(json))?.path

describe('a number of JSON', () => {
  it.each([
    ['{"a":9007199254740993}', ['a']],
    ['{"a":-9007199254740993.0}', ['a']],
    ['{"a":1e400}', ['a']],
    ['{"a":0.12345678901234567890}', ['a']],
    ['{"a":[1, 0.1000000000000000001]}', ['a', '1']],
    ['{"a":{"b":[[{"c":3.14159265358979323846}]]}}', ['a', 'b', '0', '0', 'c']],
    ['{"a":1.00000000000000000001}', ['a']],
    ['{"a":123456789.0123456789}', ['a']],
    ['{"a":12345678901234567890e-25}', ['a']],
    ['{"a":1e-400}', ['a']],
    ['{"a":1E-0400}', ['a']],
    ['{"a":5e-325}', ['a']],
    ['{"a":\n0.10000000000000001}', ['a']],
    [`{"a":0.${'1'.repeat(100_000)}}`, ['a']],
    [`{"a":${'0.' + '0'.repeat(200_000)}1}`, ['a']],
  ])('%.60s is refused at its place', (json, path) => {
    expect(pathOf(json)).toEqual(path)
  })

  it.each([
    '{"a":9007199254740991}',
    '{"a":[0,-0,0.1,1.50,1e-7,1E3,1.5e-7,0.30000000000000004,0.1000000000000000]}',
    '{"a":"0.12345678901234567890","b":", 9007199254740993"}',
    '{"a":100000000000000e-20,"b":5e-324}',
    '{"a":[123456789.012345e-99,9007199254740991E+00,1e001,0e-99]}',
    '{"__proto__":{"a":1.0000000000000000}}',
  ])('%s is kept', (json) => {
    expect(pathOf(json)).toBeUndefined()
    expect(parseExactJson(json)).toEqual(JSON.parse(json))
  })

  it('is judged by its literal', () => {
    expect(isKept('0.1')).toBe(true)
    expect(isKept('0.10000000000000001')).toBe(false)
  })
})

it('remembers rounded numbers where they are', () => {
  const value = parseExactJson('{"a":0.12345678901234567890,"b":0.5}') as object
  expect([isRounded(value, 'a'), isRounded(value, 'b')]).toEqual([true, false])
})

it.each([[Number.NaN], [Number.POSITIVE_INFINITY], [2 ** 53], [1n]])(
  'a record of JavaScript cannot hold %p',
  (value) => {
    expect(numberFault({ a: [value] })?.path).toEqual(['a', '0'])
  },
)
