import { describe, expect, it } from '@jest/globals'
import { InvalidChangeError, type NewChange, toChangeEvents } from './new-change.ts'

const change: NewChange = {
  projectId: 'shop',
  environment: 'master',
  table: 'orders',
  recordId: '42',
  operation: 'INSERT',
  record: { id: '42', total: 12.5 },
}

const faultsOf = (changes: readonly NewChange[]) => {
  try {
    toChangeEvents(changes, 'billing')
    return []
  } catch (err) {
    if (!(err instanceof InvalidChangeError)) throw err
    return err.violations.map(({ field }) => field)
  }
}

describe('toChangeEvents', () => {
  it('fills in optional fields', () => {
    const [event] = toChangeEvents([change], 'billing')
    expect(event).toEqual({
      ...change,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      timestamp: expect.stringMatching(/Z$/),
      record: '{"id":"42","total":12.5}',
      changedFields: [],
      source: 'billing',
      requestId: null,
      traceparent: null,
    })
  })

  it('passes JSON text on byte by byte', () => {
    const record = '{ "big": 12345678901234567890 }'
    expect(toChangeEvents([{ ...change, record }], 'billing')[0]?.record).toBe(record)
  })

  it.each([Number.NaN, Number.NEGATIVE_INFINITY, 2 ** 53, 2n ** 64n])(
    'refuses the number %p, which JSON does not hold, at its place',
    (total) => {
      const faults = faultsOf([change, { ...change, record: { lines: [{ total }] } }])
      expect(faults).toEqual(['1.record.lines.0.total'])
    },
  )

  it('names every faulty field of every change', () => {
    const faults = faultsOf([
      change,
      { ...change, projectId: 'a/b', recordId: '' },
      { ...change, operation: 'UPSERT' as never, record: '[1]', timestamp: '2026-01-01' },
    ])
    expect(faults.toSorted()).toEqual([
      '1.projectId',
      '1.recordId',
      '2.operation',
      '2.record',
      '2.timestamp',
    ])
  })

  it('accepts a W3C traceparent and names the fault of a malformed one', () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    expect(toChangeEvents([{ ...change, traceparent }], 'billing')[0]?.traceparent).toBe(
      traceparent,
    )
    for (const malformed of ['', 'my-trace', `${traceparent}\r\nX-Evil: 1`]) {
      expect(() => toChangeEvents([{ ...change, traceparent: malformed }], 'billing')).toThrow(
        '0.traceparent: must be a W3C traceparent, or null',
      )
    }
  })

  it('refuses unknown fields, changed fields without an update and records that are too large', () => {
    expect(faultsOf([{ ...change, tabel: 'x' } as NewChange])).toEqual(['0'])
    expect(faultsOf([{ ...change, changedFields: ['total'] }])).toEqual(['0.changedFields'])
    expect(faultsOf([{ ...change, record: { text: 'x'.repeat(1_048_577) } }])).toEqual(['0.record'])
  })
})
