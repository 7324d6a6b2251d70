import { describe, expect, it } from '@jest/globals'
import { ModelEnvironment } from '../../../test/support/model-environment.ts'
import type { FileTable } from '../file/schema.ts'
import { planLines } from '../show-plan.ts'
import { makePlan } from './plan.ts'

const options = { prune: false, allowDataLoss: false }
const planFor = ({ state }: ModelEnvironment, tasks: FileTable) =>
  makePlan({ tables: { tasks } }, state, options)

it('writes the preset `owner` out, once', () => {
  const tasks: FileTable = { columns: { title: { type: 'text' } }, access: 'owner' }
  const environment = new ModelEnvironment()
  const plan = planFor(environment, tasks)
  const own = '{ owner_id: $user.id }'
  expect(planLines(plan)).toEqual([
    '+ table tasks',
    '    + columns.title: { type: text, required: false, unique: false, default: null }',
    '    + columns.owner_id: { type: uuid, required: false, unique: false, default: null }',
    `    ~ access.read: [] -> [ { role: "*", where: ${own} } ]`,
    `    ~ access.create: [] -> [ { role: "*", set: ${own} } ]`,
    `    ~ access.update: [] -> [ { role: "*", where: ${own}, set: ${own} } ]`,
    `    ~ access.delete: [] -> [ { role: "*", where: ${own} } ]`,
    '1 to create, 0 to change, 0 to delete.',
  ])
  environment.run(plan.steps)
  expect(planFor(environment, tasks).steps).toEqual([])
})

it('compares rules by their content, whatever the order of their fields', () => {
  const where = { status: 'open', or: [{ team: { in: '$user.roles' } }] }
  const columns = { status: { type: 'text' as const }, team: { type: 'text' as const } }
  const read = [{ role: 'clerk', where, columns: ['team'] }]
  const environment = new ModelEnvironment()
  environment.run(planFor(environment, { columns, access: { read } }).steps)
  const { or, status } = where
  const same = [{ columns: ['team'], where: { or, status }, role: 'clerk' }]
  expect(planFor(environment, { columns, access: { read: same } }).steps).toEqual([])
  const other = [{ role: 'clerk', where: { ...where, status: 'new' }, columns: ['team'] }]
  expect(planFor(environment, { columns, access: { read: other } }).steps).toMatchObject([
    { changes: [{ field: 'access.read', before: read, after: other }] },
  ])
})

describe('a table of a source', () => {
  const sales: FileTable = { source: 'shop', relation: 'public.sales', exclude: ['ssn'] }
  const own: FileTable = { columns: { title: { type: 'text' } } }
  const environmentOf = (table: FileTable) => {
    const environment = new ModelEnvironment()
    environment.run(planFor(environment, table).steps)
    return environment
  }

  it('is made with its relation, and changed where it differs', () => {
    const environment = new ModelEnvironment()
    const plan = planFor(environment, sales)
    expect(planLines(plan)).toEqual([
      '+ table tasks',
      '    + source: shop',
      '    + relation: public.sales',
      '    ~ exclude: [] -> [ ssn ]',
      '1 to create, 0 to change, 0 to delete.',
    ])
    environment.run(plan.steps)
    expect(planFor(environment, sales).steps).toEqual([])
    const moved = planFor(environment, { ...sales, relation: 'old.sales' })
    expect(moved.steps).toMatchObject([
      { action: 'update', changes: [{ field: 'relation' }], input: { relation: 'old.sales' } },
    ])
  })

  it('never replaces an own table, one of another source, or the other way round', () => {
    expect(planFor(environmentOf(own), sales).refusals).toEqual([
      'table tasks: has its records in the data API: delete it first',
    ])
    const ofShop = ['table tasks: is a table of the source shop: delete it first']
    expect(planFor(environmentOf(sales), own).refusals).toEqual(ofShop)
    expect(planFor(environmentOf(sales), { ...sales, source: 'other' }).refusals).toEqual(ofShop)
  })
})
