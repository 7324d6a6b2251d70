import { describe, expect, it } from '@jest/globals'
import { emptyTable, newColumn, tableDraftOf, tableInputOf, withOwner } from './table-draft.ts'

const column = { ...newColumn([]), name: 'status' }
const draft = { ...emptyTable, name: 'orders', columns: [column] }

describe('the form of a table', () => {
  it('gives back a stored table as it was', () => {
    const columns = [
      { name: 'total', type: 'decimal' as const, required: true, unique: false, default: '1.50' },
      { name: 'meta', type: 'json' as const, required: false, unique: false, default: { a: 1 } },
    ]
    const access = { read: ['clerk', 'admin'], create: ['admin'], update: [], delete: [] }
    const times = { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' }
    const stored = tableDraftOf({ name: 'orders', columns, access, ...times })
    expect(tableInputOf(stored)).toEqual({ input: { columns, access }, violations: [] })
  })

  it('takes the default of a text column without quotes, and no default', () => {
    const withDefault = tableInputOf({ ...draft, columns: [{ ...column, default: 'new' }] })
    expect(withDefault.input.columns[0]).toMatchObject({ name: 'status', default: 'new' })
    expect(tableInputOf(draft).input.columns[0]).not.toHaveProperty('default')
  })

  it('names the field of a default that is not JSON, and a missing name', () => {
    const columns = [column, { ...column, type: 'json' as const, default: '{' }]
    expect(tableInputOf({ ...draft, name: '', columns }).violations).toEqual([
      { field: 'name', message: 'must be set' },
      { field: 'columns.1.default', message: 'must be JSON' },
    ])
  })

  it('sends access as it was typed, and names the field of text that is not JSON', () => {
    const typed = tableInputOf({ ...draft, access: '{ "reed": ["clerk"] }' })
    expect(typed.input.access).toEqual({ reed: ['clerk'] })
    const { violations } = tableInputOf({ ...draft, access: '{' })
    expect(violations).toEqual([
      { field: 'access', message: expect.stringContaining('is not JSON') },
    ])
  })

  it('writes the preset `owner` out, with its column once', () => {
    const { input, violations } = tableInputOf(withOwner(withOwner(draft)))
    expect(violations).toEqual([])
    expect(input.columns.map(({ name, type }) => [name, type])).toEqual([
      ['status', 'text'],
      ['owner_id', 'uuid'],
    ])
    expect(input.access).toMatchObject({ create: [{ role: '*', set: { owner_id: '$user.id' } }] })
  })

  it('gives each new column a key of its own', () => {
    const two = [column, newColumn([column])]
    expect(new Set([...two, newColumn(two)].map(({ key }) => key)).size).toBe(3)
  })
})
