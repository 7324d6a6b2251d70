import { describe, expect, test } from '@jest/globals'
import { EventPayload } from '@surehook/contracts/events/event-payload'
import { aChange } from '@surehook/contracts/testing/samples'
import fc from 'fast-check'
import { buildBody } from './build-body.ts'
import { recordMembers } from './record-members.ts'

describe('buildBody', () => {
  test('has the fields of the payload in their order', () => {
    expect(buildBody(aChange(), null).toString()).toBe(
      '{"id":"0198c5e1-7a64-7cc3-98c4-dc0c0c07398f","timestamp":"2026-01-01T12:00:00.000Z",' +
        '"project_id":"shop","environment":"master","table":"orders","event":"UPDATE",' +
        '"record":{"id":"r1","status":"paid","amount":"10.50"},' +
        '"data":{"id":"r1","status":"paid","amount":"10.50"},"changed_fields":["status"]}',
    )
    expect(Object.keys(EventPayload.shape)).toEqual(
      Object.keys(JSON.parse(buildBody(aChange(), null).toString())),
    )
  })

  test('passes the record on byte by byte', () => {
    const record = ' { "n" : 12345678901234567890.10, "s":"\\u0041" }\n'
    const body = buildBody(aChange({ record }), null).toString()
    expect(body).toContain(`"record":${record},"data":${record},`)
  })

  test('limits record and data to the selected fields that exist', () => {
    const record = '{"a": 12345678901234567890.10, "b":{"a":[1,{"c":"}"}]},"c":null}'
    const body = buildBody(aChange({ record, changedFields: ['b'] }), new Set(['c', 'a', 'nope']))
    expect(body.toString()).toContain(
      '"record":{"a":12345678901234567890.10,"c":null},"data":{"a":12345678901234567890.10,"c":null},"changed_fields":["b"]',
    )
    expect(buildBody(aChange({ record }), new Set(['nope'])).toString()).toContain(
      '"record":{},"data":{}',
    )
  })

  test('always equals the JSON of its parts', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.array(fc.string()),
        (record, fields) => {
          const event = aChange({ record: JSON.stringify(record), changedFields: fields })
          const all = JSON.parse(buildBody(event, null).toString())
          expect(all).toMatchObject({ id: event.id, changed_fields: fields })
          expect(all.record).toEqual(JSON.parse(event.record))
          expect(all.data).toEqual(all.record)
          const few = JSON.parse(buildBody(event, new Set(fields)).toString())
          const kept = Object.entries(JSON.parse(event.record)).filter(([key]) =>
            fields.includes(key),
          )
          expect(few.record).toEqual(Object.fromEntries(kept))
        },
      ),
    )
  })
})

describe('recordMembers', () => {
  test.each([
    ['{}', []],
    [' { } ', []],
    ['{"a":1}', [['a', '1']]],
    [
      '{"a" : "x:,}\\"" , "b":[]}',
      [
        ['a', '"x:,}\\""'],
        ['b', '[]'],
      ],
    ],
    [
      '{"\\u0061":1,"":{"a":{}}}',
      [
        ['a', '1'],
        ['', '{"a":{}}'],
      ],
    ],
    ['{"a":1,"a":2}', [['a', '2']]],
  ])('of %s', (json, members) => {
    expect([...recordMembers(json)]).toEqual(members)
  })

  test('returns the members for any spelling of the object', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue())
    fc.assert(
      fc.property(object, fc.constantFrom(undefined, 1, '\t', ' \n'), (value, space) => {
        const json = JSON.stringify(value, null, space)
        const read = [...recordMembers(json)].map(([key, text]) => [key, JSON.parse(text)])
        expect(Object.fromEntries(read)).toEqual(JSON.parse(json))
      }),
    )
  })
})
