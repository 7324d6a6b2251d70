import { describe, expect, test } from '@jest/globals'
import { AppError } from '@surehook/service-kit/errors'
import type { Column } from '../../table-definition.ts'
import { fieldsOfRow } from '../../tables/rule-sql.ts'
import { listCursor, readListCursor } from './list-cursor.ts'
import { afterSql, orderBySql, parseOrder } from './record-order.ts'

const column = (name: string, type: Column['type']): Column => ({
  name,
  type,
  required: false,
  unique: false,
  default: null,
})
const columns = [column('name', 'text'), column('size', 'integer'), column('data', 'json')]
const table = { table: { columns }, shown: fieldsOfRow({ columns }, 't') }

function violationsOf(fn: () => unknown) {
  try {
    fn()
  } catch (err) {
    if (err instanceof AppError) return err.violations
    throw err
  }
  return []
}

describe('parseOrder', () => {
  test('id comes last, unless it is requested', () => {
    expect(orderBySql(parseOrder(table, undefined))).toBe('t."id"')
    expect(orderBySql(parseOrder(table, '-size,name'))).toBe(
      't."size" desc, left(t."name", 200), t."id"',
    )
    expect(orderBySql(parseOrder(table, '-id,size'))).toBe('t."id" desc, t."size"')
  })

  test.each(['nope', 'data', 'size,', '--size', 'size,-size', 'size desc', 'Size', '__proto__'])(
    '%j is a violation of order',
    (text) => {
      expect(violationsOf(() => parseOrder(table, text))).toMatchObject([{ field: 'order' }])
    },
  )
})

test('what comes after a position: empty fields are greatest', () => {
  const values: unknown[] = ['before']
  const order = parseOrder(table, 'size')
  expect(afterSql(order, ['3', 'x'], values)).toBe(
    '(t."size" > $3::integer or t."size" is null or (t."size" = $3::integer and (t."id" > $2::uuid or t."id" is null or (t."id" = $2::uuid and false))))',
  )
  expect(values).toEqual(['before', 'x', '3'])
  expect(afterSql(parseOrder(table, '-size'), [null, 'x'], [])).toContain('t."size" is not null')
})

describe('listCursor', () => {
  const scope = { tableId: '1', order: parseOrder(table, 'size') }
  const cursor = listCursor(scope, ['3', 'x'])

  test('returns its position', () => {
    expect(readListCursor(scope, cursor)).toEqual(['3', 'x'])
    expect(readListCursor(scope, undefined)).toBeNull()
  })

  test.each([
    ['of another order', { ...scope, order: parseOrder(table, '-size') }, cursor],
    ['of another table', { ...scope, tableId: '2' }, cursor],
    ['cut', scope, cursor.slice(0, -3)],
    ['changed', scope, Buffer.from(atob(cursor).replace('"3"', '"4"')).toString('base64url')],
    ['made up', scope, 'abc'],
    ['empty', scope, ''],
  ])('a cursor that is %s is a violation', (_, where, text) => {
    expect(violationsOf(() => readListCursor(where, text))).toMatchObject([{ field: 'cursor' }])
  })
})
