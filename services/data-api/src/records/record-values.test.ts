import { describe, expect, test } from '@jest/globals'
import type { RuledViolation } from '@surehook/contracts/problem'
import type { Column } from '../table-definition.ts'
import { changedValues, newRecordValues } from './record-values.ts'

const columns: Column[] = [
  { name: 'name', type: 'text', required: true, unique: true, default: null },
  { name: 'size', type: 'integer', required: false, unique: false, default: 5 },
  { name: 'constructor', type: 'text', required: false, unique: false, default: null },
]

function created(input: string, prefix = '') {
  const violations: RuledViolation[] = []
  const values = newRecordValues(columns, JSON.parse(input), { prefix, violations })
  return { values, fields: violations.map(({ field }) => field) }
}

describe('newRecordValues', () => {
  test('defaults replace absent fields, not null', () => {
    expect(created('{"name":"a"}').values).toEqual(['a', '5', null])
    expect(created('{"name":"a","size":null}').values).toEqual(['a', null, null])
  })

  test('names every fault', () => {
    const input = '{"size":"x","id":1,"createdAt":1,"updatedAt":1,"__proto__":1,"nope":1}'
    expect(created(input, '3.').fields.toSorted()).toEqual(
      ['__proto__', 'createdAt', 'id', 'name', 'nope', 'size', 'updatedAt'].map((f) => `3.${f}`),
    )
    expect(created('{"name":null}').fields).toEqual(['name'])
  })

  test('a unique value that is too long for an index is refused', () => {
    expect(created(JSON.stringify({ name: 'ä'.repeat(1_001) })).fields).toEqual(['name'])
    expect(created(JSON.stringify({ name: 'ä'.repeat(1_000) })).fields).toEqual([])
  })
})

test('a fault inside a json value is named by its path', () => {
  const violations: RuledViolation[] = []
  const json: Column[] = [
    { name: 'meta', type: 'json', required: false, unique: false, default: null },
  ]
  const faults = { prefix: '2.', violations }
  newRecordValues(json, JSON.parse('{"meta":{"ids":[9007199254740993]}}'), faults)
  expect(violations).toEqual([
    {
      field: '2.meta.ids.0',
      message: 'holds a whole number beyond 2^53: send it as a string',
      rule: 'unfit_value',
    },
  ])
})

test('changedValues distinguishes null from absent', () => {
  const violations: RuledViolation[] = []
  const faults = { prefix: '', violations }
  expect(changedValues(columns, { size: null }, faults)).toEqual({
    given: [false, true, false],
    values: [null, null, null],
  })
  changedValues(columns, { name: null, nope: 1 }, faults)
  expect(violations.map(({ field }) => field)).toEqual(['nope', 'name'])
})
