import { describe, expect, it } from '@jest/globals'
import type { RuledViolation } from '@surehook/contracts/problem'
import { AppError } from '@surehook/service-kit/errors'
import { fitToTables } from './fit-to-table.ts'
import type { Fields } from './known-tables.ts'

const orders: Fields = new Map([['total', 'decimal']])
const notes: Fields = new Map([['total', 'text']])
const customers: Fields = new Map([['name', 'text']])
const filter = { total: { gte: '9.50' } }

async function violationsOf(tables: Record<string, Fields>, of: object = filter) {
  try {
    await fitToTables({ ...of }, new Map(Object.entries(tables)))
  } catch (err) {
    if (err instanceof AppError) return err.violations
    throw err
  }
  throw new Error('The filter fits')
}

describe('a filter for several tables', () => {
  it('is fitted to the types of each table, and stays unchanged for an unknown one', async () => {
    const tables = { orders, notes, later: undefined }
    const fitted = await fitToTables(filter, new Map(Object.entries(tables)))
    expect(Object.fromEntries(fitted)).toEqual({
      orders: { total: { gte: 9.5 } },
      notes: filter,
      later: filter,
    })
  })

  it('is refused with the table that lacks its field', async () => {
    const message = 'is not a field of the table (table customers)'
    expect(await violationsOf({ orders, customers })).toEqual([
      { field: 'filter.total', message, rule: 'unknown_field' },
    ])
  })

  it('is refused with every table that it does not fit', async () => {
    const of = { total: { contains: 'a' } }
    const messageOf = ({ message }: RuledViolation) => message
    const violations = await violationsOf({ orders, customers, notes }, of)
    expect(violations?.map(messageOf)).toEqual([
      'does not fit the type decimal (table orders)',
      'is not a field of the table (table customers)',
    ])
  })

  it('lets other work run between two tables', async () => {
    const done: string[] = []
    setImmediate(() => done.push('other work'))
    await fitToTables(filter, new Map(Object.entries({ orders, notes })))
    expect(done).toEqual(['other work'])
  })

  it('names no table if there is only one', async () => {
    expect(await violationsOf({ customers })).toMatchObject([
      { message: 'is not a field of the table' },
    ])
  })
})
