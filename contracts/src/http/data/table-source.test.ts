import { describe, expect, test } from '@jest/globals'
import { sourceOf } from './table-source.ts'
import { TableInput } from './tables.ts'

const faultsOf = (input: unknown) =>
  TableInput.safeParse(input).error?.issues.map(({ path, message }) => [path.join('.'), message])

describe('the definition of a table', () => {
  test.each([
    { columns: [] },
    { columns: [], access: 'owner' },
    { source: 'shop', relation: 'public.orders' },
    { source: 'shop', relation: '"My shop"."Order ""A"""', exclude: ['ssn', 'Card number'] },
  ])('%j is accepted', (input) => {
    expect(faultsOf(input)).toBeUndefined()
  })

  test.each([
    [{}, 'columns', 'is required'],
    [{ source: 'shop' }, 'relation', 'is required'],
    [{ source: 'shop', relation: 'a.b', columns: [] }, 'columns', 'may not stand beside `source`'],
    [{ source: 'shop', relation: 'a.b', access: {} }, 'access', 'may not stand beside `source`'],
    [{ columns: [], relation: 'a.b' }, 'relation', 'needs `source`'],
    [{ columns: [], exclude: ['ssn'] }, 'exclude', 'needs `source`'],
    [{ source: 'Shop', relation: 'a.b' }, 'source', 'must match ^[a-z][a-z0-9_]{0,62}$'],
  ])('%j is refused for its %s', (input, field, message) => {
    expect(faultsOf(input)).toEqual([[field, message]])
  })

  test.each([
    'orders',
    'public.Orders',
    'public.orders; drop table x',
    'public."a"b"',
    'a.b.c',
    'public.""',
    'public."a\nb"',
  ])('the relation %j is refused', (relation) => {
    const message = 'must be schema.table, each in double quotes where SQL needs them'
    expect(faultsOf({ source: 'shop', relation })).toEqual([['relation', message]])
  })
})

test('the source of a definition excludes no column unless it says so', () => {
  const source = { name: 'shop', relation: 'public.orders', exclude: [] }
  expect(sourceOf({ source: 'shop', relation: 'public.orders' })).toEqual(source)
  expect(sourceOf({})).toBeNull()
})
