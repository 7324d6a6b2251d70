import { describe, expect, it } from '@jest/globals'
import { parseExactJson } from '../../json/exact-json.ts'
import { UserAttributes, UserAttributesInput } from './user-attributes.ts'

function faultsOf(attributes: unknown): unknown[] {
  const { error } = UserAttributesInput.safeParse(attributes)
  return (error?.issues ?? []).map((issue) => [
    issue.path.join('.'),
    issue.code === 'custom' ? issue.params?.['rule'] : issue.code,
  ])
}

const text = (bytes: number) => 'x'.repeat(bytes - '{"a":""}'.length)

describe('attributes in a request', () => {
  it.each<object>([
    { team: 'north', level: 7, ratio: -0.25, isLead: true },
    { regions: ['eu', 2, false], none: [], empty: '' },
    { constructor: 'x', toString: 'y', [`a${'b'.repeat(62)}`]: 'longest' },
    { big: Number.MAX_SAFE_INTEGER, small: 5e-324 },
    { list: Array(100).fill(1) },
    { a: text(2_048) },
    {},
  ])('are taken as they are (%#)', (attributes) => {
    expect(faultsOf(attributes)).toEqual([])
    expect(UserAttributesInput.parse(attributes)).toEqual(attributes)
  })

  it('name each fault where it is', () => {
    const attributes = parseExactJson(`{
      "Team": "x", "id": 1, "email": "x", "roles": [], "a b": true, "a${'b'.repeat(63)}": 1,
      "team": null, "nested": { "x": 1 }, "lists": [[1], "x", null, "\\u0000"],
      "broken": "\\ud800", "huge": 1e999, "whole": 9007199254740993, "long": 0.12345678901234567890,
      "many": [${Array(101).fill(1)}], "list": [1, 12345678901234567890.5]
    }`)
    expect(faultsOf(attributes)).toEqual([
      ['Team', 'invalid_name'],
      ['id', 'invalid_name'],
      ['email', 'invalid_name'],
      ['roles', 'invalid_name'],
      ['a b', 'invalid_name'],
      [`a${'b'.repeat(63)}`, 'invalid_name'],
      ['team', 'invalid_type'],
      ['nested', 'invalid_type'],
      ['lists.0', 'invalid_type'],
      ['lists.2', 'invalid_type'],
      ['lists.3', 'invalid_text'],
      ['broken', 'invalid_text'],
      ['huge', 'invalid_value'],
      ['whole', 'invalid_value'],
      ['long', 'invalid_value'],
      ['many', 'too_many'],
      ['list.1', 'invalid_value'],
    ])
  })

  it('say what is wrong', () => {
    const { error } = UserAttributesInput.safeParse({ id: 'x', whole: 2 ** 53 })
    expect(error?.issues.map(({ message }) => message)).toEqual([
      'is a reserved name',
      'holds a whole number beyond 2^53: send it as a string',
    ])
  })

  it('have at most 2 KiB of JSON, in bytes', () => {
    expect(faultsOf({ a: text(2_049) })).toEqual([['', 'too_long']])
    expect(faultsOf({ a: 'é'.repeat(1_030), Team: 1 })).toEqual([['', 'too_long']])
  })

  it.each([[[]], ['team'], [7]])('are an object, not %j', (attributes) => {
    expect(faultsOf(attributes)).toEqual([['', 'invalid_type']])
  })

  it('keep and refuse a name that objects have themselves', () => {
    expect(faultsOf(JSON.parse('{"__proto__":"x"}'))).toEqual([['__proto__', 'invalid_name']])
  })
})

it('attributes in an answer need not meet the rules of today', () => {
  expect(UserAttributes.parse({ Old: null })).toEqual({ Old: null })
})
