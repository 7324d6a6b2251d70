import { describe, expect, test } from '@jest/globals'
import type { ChangeInput } from '@surehook/contracts/http/data/changes'
import { cloudEventId } from '@surehook/contracts/ids'
import { AppError } from '@surehook/service-kit/errors'
import { readChanges } from './read-changes.ts'

const json = 'application/json'
const structured = 'application/cloudevents+json; charset=UTF-8'
const batch = 'application/cloudevents-batch+json'

const read = (type: string, body: unknown, headers: object = {}) =>
  readChanges({ headers: { 'content-type': type, ...headers }, body }).map(({ change }) => change)

function faultsOf(type: string, body: unknown, headers: object = {}): string[] {
  try {
    read(type, body, headers)
  } catch (err) {
    if (err instanceof AppError && err.code === 'VALIDATION_ERROR') {
      return (err.violations ?? []).map(({ field }) => field)
    }
    throw err
  }
  return []
}

const change: ChangeInput = { table: 'invoices', event: 'INSERT', recordId: '42', record: { a: 1 } }
const event = {
  specversion: '1.0',
  id: 'A-1',
  source: '/billing',
  type: 'com.example.invoice.update',
  subject: 'invoices/42',
  data: { a: 1 },
}
const id = cloudEventId('/billing', 'A-1')
const updated = { table: 'invoices', recordId: '42', event: 'UPDATE', record: { a: 1 }, id }

describe('changes', () => {
  test('are one or a list', () => {
    expect(read(json, change)).toEqual([change])
    expect(read(json, [change, change])).toEqual([change, change])
  })

  test.each([
    [undefined, ['body']],
    ['text', ['body']],
    [[], ['body']],
    [Array.from({ length: 1_001 }, () => change), ['body']],
    [{ ...change, table: 'users' }, ['table']],
    [{ ...change, table: '_webhooks' }, ['table']],
    [{ ...change, record: [1], event: 'UPSERT' }, ['event', 'record']],
    [{ ...change, changedFields: ['a'] }, ['changedFields']],
    [{ ...change, projectId: 'other' }, ['projectId']],
    [
      [change, { ...change, id: '1', timestamp: '2026-01-01' }, 1],
      ['1.id', '1.timestamp', '2'],
    ],
    [[change, { ...change, recordId: '' }], ['1.recordId']],
  ])('%j has its faults named', (body, fields) => {
    expect(faultsOf(json, body).toSorted()).toEqual(fields)
  })
})

describe('a CloudEvent', () => {
  test('becomes a change', () => {
    expect(read(structured, event)).toEqual([updated])
    expect(
      read(batch, [event, { ...event, type: 'x.DELETE', subject: 'a/b/c', time: null }]),
    ).toEqual([updated, { ...updated, event: 'DELETE', table: 'a', recordId: 'b/c' }])
  })

  test('says with attributes of its own what type and subject say otherwise', () => {
    const own = { table: 'orders', recordid: '1', operation: 'insert', subject: 'x', type: 'y' }
    expect(read(structured, { ...event, ...own })).toEqual([
      { ...updated, event: 'INSERT', table: 'orders', recordId: '1' },
    ])
  })

  test('says which fields changed and when, in any time zone', () => {
    const more = { changedfields: 'a, b', time: '2026-01-02T03:04:05.6789+02:00' }
    expect(read(structured, { ...event, ...more })).toEqual([
      { ...updated, changedFields: ['a', 'b'], timestamp: '2026-01-02T01:04:05.678Z' },
    ])
  })

  test('may have its time in lower case', () => {
    for (const time of ['2026-01-02t03:04:05.678z', '2026-01-02t05:04:05.678+02:00']) {
      expect(read(structured, { ...event, time })[0]?.timestamp).toBe('2026-01-02T03:04:05.678Z')
    }
  })

  test('may have other attributes', () => {
    expect(read(structured, { ...event, partitionkey: 'x', dataschema: '/s' })).toEqual([updated])
  })

  test.each([
    [{ specversion: '0.3' }, ['specversion']],
    [{ id: undefined, source: '', type: null }, ['id', 'source', 'type']],
    [{ type: 'invoice.upsert' }, ['type']],
    [{ type: 'update' }, ['type']],
    [{ operation: 'upsert' }, ['operation']],
    [{ subject: 'invoices' }, ['subject']],
    [{ subject: undefined }, ['subject']],
    [{ subject: 'users/1' }, ['subject']],
    [{ subject: `invoices/${'1'.repeat(257)}` }, ['subject']],
    [{ table: 'invoices' }, ['recordid']],
    [{ recordid: '1' }, ['table']],
    [{ table: '_x', recordid: '' }, ['recordid', 'table']],
    [{ data: undefined }, ['data']],
    [{ data: [1] }, ['data']],
    [{ data: undefined, data_base64: 'e30=' }, ['data']],
    [{ datacontenttype: 'text/xml' }, ['datacontenttype']],
    [{ time: 'yesterday' }, ['time']],
    [{ changedfields: ['a'] }, ['changedfields']],
    [{ changedfields: 'a,,b' }, ['changedfields']],
    [{ type: 'x.insert', changedfields: 'a' }, ['changedfields']],
  ])('with %j is refused by the attribute', (more, fields) => {
    expect(faultsOf(structured, { ...event, ...more }).toSorted()).toEqual(fields)
    const inBatch = faultsOf(batch, [event, { ...event, ...more }]).toSorted()
    expect(inBatch).toEqual(fields.map((field) => `1.${field}`))
  })

  test('of a list is a batch, and a batch is a list', () => {
    expect(faultsOf(structured, [event])).toEqual(['body'])
    expect(faultsOf(batch, event)).toEqual(['body'])
    expect(faultsOf(batch, [])).toEqual(['body'])
    expect(faultsOf(batch, [event, 1])).toEqual(['1'])
  })
})

describe('a binary CloudEvent', () => {
  const headers = {
    'ce-specversion': '1.0',
    'ce-id': 'A-1',
    'ce-source': '/billing',
    'ce-type': 'invoice.update',
    'ce-subject': 'invoices/42',
  }

  test('has its attributes in headers and its data as body', () => {
    expect(read(json, { a: 1 }, headers)).toEqual([updated])
  })

  test('may have encoded and quoted attributes', () => {
    const own = { 'ce-subject': '"invoices/\\"%E2%82%AC%20"' }
    expect(read(json, { a: 1 }, { ...headers, ...own })[0]?.recordId).toBe('"€ ')
  })

  test.each([
    [{ 'ce-type': 'x' }, {}, ['ce-type']],
    [{ 'ce-subject': '%ff/1' }, {}, ['ce-subject']],
    [{ 'ce-subject': 'users/1' }, {}, ['ce-subject']],
    [{ 'ce-time': '1' }, {}, ['ce-time']],
    [{}, [1], ['body']],
    [{}, undefined, ['body']],
    [{ 'ce-data': '{}' }, undefined, ['body']],
  ])('with %j and the body %j is refused by the header or the body', (more, body, fields) => {
    expect(faultsOf(json, body, { ...headers, ...more })).toEqual(fields)
  })

  test('is told by any of its headers', () => {
    expect(faultsOf(json, change, { 'ce-id': '1' }).toSorted()).toEqual([
      'ce-source',
      'ce-specversion',
      'ce-type',
    ])
  })
})
