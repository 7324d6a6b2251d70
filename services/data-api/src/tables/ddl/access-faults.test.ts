import { describe, expect, test } from '@jest/globals'
import { type AccessAction, type AccessRule } from '@surehook/contracts/http/data/access'
import { ownerAccess } from '@surehook/contracts/http/data/owner-access'
import type { Column } from '../../table-definition.ts'
import { accessFaults } from './access-faults.ts'

const column = (name: string, type: Column['type'], more: Partial<Column> = {}): Column => ({
  name,
  type,
  required: false,
  unique: false,
  default: null,
  ...more,
})
const columns = [
  column('owner', 'uuid'),
  column('team', 'text'),
  column('size', 'integer'),
  column('doc', 'json'),
  column('title', 'text', { required: true }),
]
const none = { read: [], create: [], update: [], delete: [] }

function faultsOf(action: AccessAction, rule: Omit<AccessRule, 'role'>) {
  const access = { ...none, [action]: ['admin', { role: 'a', ...rule }] }
  return accessFaults({ columns, access }).map(({ field, rule: code }) => [field, code])
}

describe('a rule of read', () => {
  test.each([
    { owner: '$user.id' },
    { team: { in: '$user.roles' } },
    { size: { gte: '$user.level' } },
    { size: { in: '$user.levels' } },
    { 'doc.team': '$user.team', or: [{ team: '$user.email' }, { not: { team: '$$x' } }] },
    {},
  ])('may have the condition %j', (where) => {
    expect(faultsOf('read', { where })).toEqual([])
  })

  test.each([
    [{ nope: 1 }, 'where.nope', 'unknown_field'],
    [{ size: '$user.id' }, 'where.size', 'invalid_filter'],
    [{ owner: '$user.email' }, 'where.owner', 'invalid_filter'],
    [{ team: '$user.roles' }, 'where.team', 'invalid_filter'],
    [{ team: { in: '$user.id' } }, 'where.team.in', 'invalid_filter'],
    [{ team: '$me' }, 'where.team', 'invalid_filter'],
    [{ changed: ['team'] }, 'where.changed', 'invalid_filter'],
    [{ and: [{ size: { gt: 'x' } }] }, 'where.and.0.size.gt', 'invalid_filter'],
  ])('may not have the condition %j', (where, field, rule) => {
    expect(faultsOf('read', { where })).toEqual([[`access.read.1.${field}`, rule]])
  })

  test('shows columns of the table, and sets none', () => {
    expect(faultsOf('read', { columns: ['team', 'nope'], set: { team: 'x' } })).toEqual([
      ['access.read.1.set', 'unsupported'],
      ['access.read.1.columns.1', 'unknown_field'],
    ])
  })
})

test('a rule of delete has a condition only', () => {
  expect(faultsOf('delete', { where: { team: 'x' } })).toEqual([])
  expect(faultsOf('delete', { columns: ['team'], set: { team: 'x' } })).toEqual([
    ['access.delete.1.set', 'unsupported'],
    ['access.delete.1.columns', 'unsupported'],
  ])
})

test.each([
  [{ owner: '$user.id', team: '$$x', size: 3, doc: { a: '$b' } }, []],
  [{ size: '$user.level', team: null }, []],
  [{ nope: 1 }, [['access.update.1.set.nope', 'unknown_field']]],
  [{ size: '$user.id' }, [['access.update.1.set.size', 'unfit_value']]],
  [{ team: '$user.roles' }, [['access.update.1.set.team', 'unfit_value']]],
  [{ team: '$nope' }, [['access.update.1.set.team', 'unfit_value']]],
  [{ title: null }, [['access.update.1.set.title', 'unfit_value']]],
  [{ size: 1.5 }, [['access.update.1.set.size', 'unfit_value']]],
])('what a rule of update may set: %j', (set, faults) => {
  expect(faultsOf('update', { set })).toEqual(faults)
})

test('a rule of create takes all required columns, or sets them', () => {
  expect(faultsOf('create', { columns: ['team'] })).toEqual([
    ['access.create.1.columns', 'default_missing'],
  ])
  expect(faultsOf('create', { columns: ['team'], set: { title: 'x' } })).toEqual([])
  expect(faultsOf('create', { columns: ['title'] })).toEqual([])
  expect(faultsOf('update', { columns: ['team'] })).toEqual([])
})

test('an action has at most 20 rules', () => {
  const rules = (count: number) => Array.from({ length: count }, () => ({ role: 'a', where: {} }))
  const faults = (count: number) =>
    accessFaults({ columns, access: { ...none, read: rules(count) } })
  expect(faults(20)).toEqual([])
  expect(faults(21)).toMatchObject([{ field: 'access.read', rule: 'too_many' }])
})

test('the preset of owners fits its own column', () => {
  expect(accessFaults({ columns: [column('owner_id', 'uuid')], access: ownerAccess })).toEqual([])
  expect(
    accessFaults({ columns: [column('owner_id', 'integer')], access: ownerAccess }),
  ).not.toEqual([])
})
