import { describe, expect, test } from '@jest/globals'
import type { ChangeEvent } from '@surehook/contracts/events'
import { type NewChange, toChangeEvents } from '@surehook/contracts/events/new-change'
import { aChange } from '@surehook/contracts/testing/samples'
import { changeFault } from './change-fault.ts'

describe('changeFault', () => {
  test('accepts events of the publisher', () => {
    const changes: NewChange[] = [
      {
        projectId: 'p',
        environment: 'e',
        table: 'orders',
        recordId: 'r',
        operation: 'INSERT',
        record: {},
      },
      {
        projectId: 'p-1',
        environment: 'E_2',
        table: '_webhooks',
        recordId: '/',
        operation: 'UPDATE',
        record: {},
        changedFields: ['a'],
      },
      {
        projectId: 'p',
        environment: 'e',
        table: 'users',
        recordId: 'r',
        operation: 'DELETE',
        record: '{"a":1}',
        timestamp: '2026-01-01T00:00:00.123456Z',
        requestId: 'q',
        traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      },
    ]
    expect(toChangeEvents(changes, 'test').map(changeFault)).toEqual([null, null, null])
  })

  test.each<[Partial<ChangeEvent>, string]>([
    [{ id: 'event-1' }, 'id: not a UUID'],
    [{ timestamp: 'yesterday' }, 'timestamp: not ISO 8601 in UTC'],
    [{ timestamp: '2026-01-01T12:00:00+01:00' }, 'timestamp: not ISO 8601 in UTC'],
    [{ timestamp: '2026-13-01T12:00:00Z' }, 'timestamp: not ISO 8601 in UTC'],
    [{ projectId: '' }, 'projectId: not a name'],
    [{ environment: 'a/b' }, 'environment: not a name'],
    [{ table: 'Orders' }, 'table: not a name'],
    [{ recordId: '' }, 'recordId: 1 to 256 characters'],
    [{ operation: 'INSERT' }, 'changedFields: only for UPDATE'],
    [{ changedFields: [''] }, 'changedFields: at most 1000 of 1 to 128 characters'],
    [{ requestId: '' }, 'requestId: 1 to 128 characters'],
  ])('%j is a fault', (part, fault) => {
    expect(changeFault(aChange(part))).toBe(fault)
  })

  test('accepts a malformed traceparent, because no delivery depends on it', () => {
    expect(changeFault(aChange({ traceparent: 'x'.repeat(500) }))).toBeNull()
  })
})
