import { describe, expect, it } from '@jest/globals'
import { changedFields, editableText, fieldsIn } from './record-text.ts'

const times = { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' }

describe('the text of a record', () => {
  it('has the fields that one may write', () => {
    const text = editableText({ id: 'r1', ...times, status: 'new', total: null })
    expect(JSON.parse(text)).toEqual({ status: 'new', total: null })
  })

  it.each(['[]', 'null', '"text"', '{', ''])('refuses %j', (text) => {
    expect(fieldsIn(text).violations).toMatchObject([{ field: 'record' }])
  })

  it('sends what differs, and null for what was taken away', () => {
    const before = { id: 'r1', ...times, status: 'new', total: '1', meta: { a: 1 } }
    const after = { status: 'paid', meta: { a: 1 }, extra: 2 }
    expect(changedFields(before, after)).toEqual({ status: 'paid', total: null, extra: 2 })
    expect(changedFields(before, { status: 'new', total: '1', meta: { a: 1 } })).toEqual({})
  })
})
