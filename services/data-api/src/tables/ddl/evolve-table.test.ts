import { describe, expect, test } from '@jest/globals'
import { TableInput } from '@surehook/contracts/http/data/tables'
import type { Column } from '../../table-definition.ts'
import { evolveTable } from './evolve-table.ts'

const nobody = { read: [], create: [], update: [], delete: [] }
const column = (name: string, rest: Partial<Column> = {}): Column => ({
  name,
  type: 'text',
  required: false,
  unique: false,
  default: null,
  ...rest,
})
const table = (columns: Column[], hasRecords = true) => ({ columns, access: nobody, hasRecords })

describe('evolveTable', () => {
  test('a new table gets every requested column', () => {
    const evolution = evolveTable(null, {
      columns: [
        { name: 'a', type: 'text', required: true, unique: true },
        { name: 'b', type: 'integer', default: 3 },
      ],
      access: { read: ['member'] },
    })
    expect(evolution).toMatchObject({
      ok: true,
      changed: true,
      shape: {
        columns: [
          column('a', { required: true, unique: true }),
          column('b', { type: 'integer', default: 3 }),
        ],
        access: { ...nobody, read: ['member'] },
      },
    })
  })

  test('an existing column is no change', () => {
    const current = table([column('a', { required: true, default: 'x' })])
    const evolution = evolveTable(current, {
      columns: [{ name: 'a', type: 'text', required: true, default: 'x' }],
    })
    expect(evolution).toEqual({
      ok: true,
      changed: false,
      steps: [],
      shape: { columns: current.columns, access: nobody },
    })
  })

  test('columns keep their positions, constraints relax, new columns come last', () => {
    const current = table([
      column('a', { required: true }),
      column('b', { unique: true }),
      column('c', { default: 'old' }),
    ])
    const evolution = evolveTable(current, {
      columns: [
        { name: 'z', type: 'integer', unique: true },
        { name: 'c', type: 'text', default: 'new' },
        { name: 'b', type: 'text' },
        { name: 'a', type: 'text' },
      ],
    })
    expect(evolution).toMatchObject({
      ok: true,
      steps: [
        { kind: 'relax-required', column: { name: 'a' } },
        { kind: 'relax-unique', index: 1 },
        { kind: 'change-default', column: { name: 'c', default: 'new' } },
        { kind: 'add', column: { name: 'z' }, index: 3 },
      ],
    })
  })

  test('every change that could lose data is a separate violation', () => {
    const current = table([column('a'), column('b'), column('c'), column('d')])
    const evolution = evolveTable(current, {
      columns: [
        { name: 'b', type: 'integer' },
        { name: 'c', type: 'text', required: true, unique: true },
        { name: 'd', type: 'text', default: 7 },
        { name: 'e', type: 'text', required: true },
        { name: 'f', type: 'json', unique: true },
        { name: 'g', type: 'text', unique: true, default: 'x' },
        { name: 'h', type: 'json', default: { ids: [2 ** 53] } },
      ],
    })
    expect(evolution.ok ? [] : evolution.violations.map(({ field }) => field)).toEqual([
      'columns',
      'columns.0.type',
      'columns.1.required',
      'columns.1.unique',
      'columns.2.default',
      'columns.3.required',
      'columns.4.unique',
      'columns.5.default',
      'columns.6.default.ids.0',
    ])
  })

  test('each violation says how the request differs from the existing table', () => {
    const current = table([column('a', { required: true, unique: true }), column('b'), column('c')])
    const evolution = evolveTable(current, {
      columns: [
        { name: 'b', type: 'integer' },
        { name: 'c', type: 'text', required: true, unique: true },
      ],
    })
    expect(evolution.ok ? [] : evolution.violations.map(({ message }) => message)).toEqual([
      'lacks the column "a" (text, required, unique) of the existing table; no column can be removed',
      '"b" of the existing table is text and cannot become integer',
      '"c" of the existing table is optional and cannot become required: existing records may lack it',
      '"c" of the existing table is not unique and cannot become unique: existing values may repeat',
    ])
  })

  test('a required column without a default can join a table without records', () => {
    const input = { columns: [{ name: 'a', type: 'text' as const, required: true }] }
    expect(evolveTable(table([], false), input).ok).toBe(true)
    expect(evolveTable(table([], true), input).ok).toBe(false)
  })

  test('omitted access stays', () => {
    const current = { ...table([]), access: { ...nobody, read: ['a'], create: ['b'] } }
    const evolution = evolveTable(current, { columns: [], access: { create: [] } })
    expect(evolution).toMatchObject({
      changed: true,
      steps: [],
      shape: { access: { ...nobody, read: ['a'] } },
    })
  })
})

describe('names', () => {
  const faultsOf = (name: string) => {
    const parsed = TableInput.safeParse({ columns: [{ name, type: 'text' }] })
    return parsed.success ? [] : parsed.error.issues.map(({ path }) => path.join('.'))
  }

  test.each(['a', 'a_1', 'select', 'constructor', 'order', `a${'b'.repeat(62)}`])(
    '%s can be a column',
    (name) => {
      expect(faultsOf(name)).toEqual([])
    },
  )

  test.each([
    ...['and', 'or', 'not', 'changed', 'id', 'createdAt', 'updatedAt', 'xmin', 'ctid', 'tableoid'],
    ...['', 'A', '1a', '_a', 'a-b', 'a"b', 'a.b', 'a\n', '__proto__', `a${'b'.repeat(63)}`],
  ])('%j cannot', (name) => {
    expect(faultsOf(name)).toEqual(['columns.0.name'])
  })

  test('a name stands for one column', () => {
    const twice = [
      { name: 'a', type: 'text' },
      { name: 'a', type: 'text' },
    ]
    expect(TableInput.safeParse({ columns: twice }).error?.issues).toMatchObject([
      { path: ['columns', 1, 'name'] },
    ])
  })
})
