import { describe, expect, it } from '@jest/globals'
import { singularOf } from '@surehook/contracts/http/data/derived-names'
import { TableName } from '@surehook/contracts/http/data/names'
import fc from 'fast-check'
import { graphqlNames } from './graphql-names.ts'

const letters = 'abcdefghijklmnopqrstuvwxyz'.split('')
const ends = [
  's',
  'es',
  'ies',
  'y',
  'us',
  'uses',
  'ss',
  'sses',
  '_s',
  '1s',
  '_',
  '__',
  '_list',
  '_one',
]
/** Mostly similar names: plurals, singulars, and underscores between few letters. */
const tableName = fc
  .tuple(
    fc.constantFrom(...letters, 'order', 'query', 'string', 'date', 'status', 'order_item', 'bus'),
    fc.array(fc.constantFrom('a', 'b', 'y', 's', 'e', '_', '1', 'page', 'where'), { maxLength: 4 }),
    fc.array(fc.constantFrom(...ends), { maxLength: 3 }),
  )
  .map(([head, middle, tail]) => [head, ...middle, ...tail].join(''))
  .filter((name) => TableName.safeParse(name).success)

const fixedTypes = ['Query', 'Mutation', 'String', 'Int', 'Date', 'JSON', 'BigInt', 'ID', 'Boolean']

describe('the names of a table in GraphQL', () => {
  it.each([
    ['orders', ['orders', 'order', 'createOrder', 'createOrders']],
    ['order_items', ['orderItems', 'orderItem', 'createOrderItem', 'createOrderItems']],
    ['categories', ['categories', 'category', 'createCategory', 'createCategories']],
    ['addresses', ['addresses', 'address', 'createAddress', 'createAddresses']],
    ['boxes', ['boxes', 'box', 'createBox', 'createBoxes']],
    ['houses', ['houses', 'house', 'createHouse', 'createHouses']],
    ['caches', ['caches', 'cache', 'createCache', 'createCaches']],
    ['branches', ['branches', 'branch', 'createBranch', 'createBranches']],
    ['statuses', ['statuses', 'status', 'createStatus', 'createStatuses']],
    ['status', ['status_list', 'status_one', 'createStatus_one', 'createStatus_list']],
    ['sheep', ['sheep_list', 'sheep_one', 'createSheep_one', 'createSheep_list']],
    ['order', ['order_list', 'order_one', 'createOrder_one', 'createOrder_list']],
    ['s', ['s_list', 's_one', 'createS_one', 'createS_list']],
    ['a__bs', ['a_Bs', 'a_B', 'createA_B', 'createA_Bs']],
  ])('%s: %j', (table, names) => {
    const { list, get, create, createMany } = graphqlNames(table)
    expect([list, get, create, createMany]).toEqual(names)
  })

  it('never equal those of another table, or of a built-in type', () => {
    const differ = fc.property(tableName, tableName, (one, other) => {
      fc.pre(one !== other)
      const names = [graphqlNames(one), graphqlNames(other)].map(spaces)
      for (const [space, mine] of Object.entries(names[0] ?? {})) {
        const theirs = names[1]?.[space as keyof ReturnType<typeof spaces>] ?? []
        expect(mine.filter((name) => theirs.includes(name))).toEqual([])
      }
    })
    fc.assert(differ, { numRuns: 5_000 })
  })

  it('are names, all different within one table', () => {
    const legal = fc.property(tableName, (table) => {
      for (const [space, names] of Object.entries(spaces(graphqlNames(table)))) {
        expect(new Set(names).size).toBe(names.length)
        expect(names.filter((name) => !/^[A-Za-z][A-Za-z0-9_]*$/.test(name))).toEqual([])
        if (space === 'types') expect(names.filter((name) => fixedTypes.includes(name))).toEqual([])
      }
    })
    fc.assert(legal, { numRuns: 2_000 })
  })

  it('come from a singular that is no plural itself', () => {
    const rule = fc.property(tableName, (table) => {
      const singular = singularOf(table)
      if (singular !== null) expect(singularOf(singular)).toBeNull()
    })
    fc.assert(rule, { numRuns: 2_000 })
  })
})

/** Groups the names by the namespace in which they must be unique. */
function spaces(names: ReturnType<typeof graphqlNames>) {
  const { record, page, where, newRecord, changes, list, get, ...mutations } = names
  return {
    types: [record, page, where, newRecord, changes],
    queries: [list, get],
    mutations: Object.values(mutations),
  }
}
