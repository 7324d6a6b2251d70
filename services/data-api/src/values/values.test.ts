import { describe, expect, test } from '@jest/globals'
import type { ColumnType } from '@surehook/contracts/http/data/tables'
import { valueTypes } from './value-types.ts'

const deep = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth))

const accepted: [ColumnType, unknown, string][] = [
  ['text', '', ''],
  ['text', 'Grüße 🎉', 'Grüße 🎉'],
  ['integer', -2147483648, '-2147483648'],
  ['integer', 2147483647, '2147483647'],
  ['bigint', 9007199254740991, '9007199254740991'],
  ['bigint', '9223372036854775807', '9223372036854775807'],
  ['bigint', '-9223372036854775808', '-9223372036854775808'],
  ['bigint', '007', '7'],
  ['double', 1e308, '1e+308'],
  ['double', -0, '0'],
  ['decimal', '10.00', '10.00'],
  ['decimal', 12.34, '12.34'],
  ['decimal', 0.1, '0.1'],
  ['decimal', -0, '0'],
  ['decimal', 0.0000001, '0.0000001'],
  ['decimal', -1.5e-7, '-0.00000015'],
  ['decimal', 1e21, '1000000000000000000000'],
  ['decimal', 1.5e300, `15${'0'.repeat(299)}`],
  ['decimal', 1e-300, `0.${'0'.repeat(299)}1`],
  ['decimal', 9007199254740991, '9007199254740991'],
  ['boolean', false, 'false'],
  ['timestamp', '2026-02-03T04:05:06Z', '2026-02-03T04:05:06.000Z'],
  ['timestamp', '2026-02-03T04:05:06.789123+02:00', '2026-02-03T02:05:06.789Z'],
  ['timestamp', '2026-02-03T04:05-0130', '2026-02-03T05:35:00.000Z'],
  ['timestamp', '0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['date', '2024-02-29', '2024-02-29'],
  ['uuid', 'AAAAAAAA-0000-4000-8000-000000000000', 'aaaaaaaa-0000-4000-8000-000000000000'],
  ['json', { a: [1, 'x', null] }, '{"a":[1,"x",null]}'],
  ['json', false, 'false'],
  ['json', deep(100), '['.repeat(100) + ']'.repeat(100)],
]

const refused: [ColumnType, unknown][] = [
  ['text', 1],
  ['text', 'a\0b'],
  ['text', '\ud800'],
  ['integer', 2147483648],
  ['integer', 1.5],
  ['integer', '1'],
  ['bigint', 9007199254740992],
  ['bigint', '9223372036854775808'],
  ['bigint', '1e3'],
  ['bigint', ' 1'],
  ['double', Number.POSITIVE_INFINITY],
  ['double', '1'],
  ['decimal', '1e3'],
  ['decimal', 'NaN'],
  ['decimal', ''],
  ['decimal', '1.'],
  ['decimal', 2 ** 53],
  ['decimal', 0.30000000000000004e-7],
  ['decimal', Number.POSITIVE_INFINITY],
  ['decimal', 0.1234567890123456],
  ['decimal', '1'.repeat(1001)],
  ['boolean', 'true'],
  ['boolean', 0],
  ['timestamp', '2026-02-03T04:05:06'],
  ['timestamp', '2026-02-30T00:00:00Z'],
  ['timestamp', '2026-02-03T24:00:00Z'],
  ['timestamp', '2026-02-03T23:59:60Z'],
  ['timestamp', '2026-02-03'],
  ['timestamp', '0000-01-01T00:00:00Z'],
  ['timestamp', '0001-01-01T00:00:00+01:00'],
  ['timestamp', '9999-12-31T23:59:59-01:00'],
  ['timestamp', 0],
  ['date', '2026-02-29'],
  ['date', '2026-2-1'],
  ['date', '0000-01-01'],
  ['uuid', 'x'],
  ['uuid', '{aaaaaaaa-0000-4000-8000-000000000000}'],
  ['json', { a: '\0' }],
  ['json', { '\ud800': 1 }],
  ['json', [Number.POSITIVE_INFINITY]],
  ['json', 9007199254740992],
  ['json', -9007199254740992],
  ['json', deep(101)],
  ['json', deep(50_000)],
]

describe('value types', () => {
  test.each(accepted)('%s takes %j', (type, value, text) => {
    expect(valueTypes[type].parse(value)).toEqual({ text })
  })

  test.each(refused.map(([type, value], index) => [index, type, value] as const))(
    'refuses what does not fit: case %i, %s',
    (_, type, value) => {
      expect(valueTypes[type].parse(value)).toMatchObject({ fault: expect.any(String) })
    },
  )

  test.each([
    ['{"a":1,"ids":[1,9007199254740993]}', ['ids', '1'], 'send it as a string'],
    ['{"a":{"b":12345678901234567890}}', ['a', 'b'], 'send it as a string'],
    ['{"a":[[1e400]]}', ['a', '0', '0'], 'out of range'],
    ['{"a":[0,{"b":"\\u0000"}]}', ['a', '1', 'b'], 'NUL'],
  ])('json reports the path of a fault: %s', (json, path, fault) => {
    expect(valueTypes.json.parse(JSON.parse(json))).toEqual({
      fault: expect.stringContaining(fault),
      path,
    })
  })

  test('json accepts every number that it returns unchanged', () => {
    const text = '[9007199254740991,-9007199254740991,0.5,1.5e-7]'
    expect(valueTypes.json.parse(JSON.parse(text))).toEqual({ text })
  })
})
