import { expect, it } from '@jest/globals'
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
