import { expect, it } from '@jest/globals'
import type { SubscriptionState } from '@surehook/contracts/events'
import { aSubscription } from '@surehook/contracts/testing/samples'
import { takenKeys } from './taken-keys.ts'

const tenant = { projectId: 'acme', environment: 'master' }
const lost = (id: string, fields: Partial<SubscriptionState> = {}) => {
  const updatedAt = '2026-11-25T12:00:00Z'
  return [id, aSubscription({ id, ...tenant, key: 'billing', updatedAt, ...fields })] as const
}
const row = (id: string, fields = {}) => ({
  ...{ id, project_id: 'acme', environment: 'master', key: 'billing' },
  ...fields,
})

it.each([
  ['another subscription has it', [lost('a')], [row('b')], ['a']],
  ['it is its own', [lost('a')], [row('a')], []],
  ['its owner loses it', [lost('a'), lost('b', { key: null })], [row('b')], []],
  ['its owner is to be deleted', [lost('a'), ['b', null] as const], [row('b')], []],
  ['it is of another environment', [lost('a')], [row('b', { environment: 'dev' })], []],
  ['it is of another project', [lost('a')], [row('b', { project_id: 'other' })], []],
  ['no other has one', [lost('a', { key: null })], [row('b', { key: null })], []],
  [
    'a newer lost one has it',
    [lost('a'), lost('b', { updatedAt: '2026-11-25T12:00:01Z' }), lost('c')],
    [],
    ['a', 'c'],
  ],
] as const)('a key is taken or free when %s', (_when, states, rows, ids) => {
  expect([...takenKeys(new Map(states), rows).keys()]).toEqual(ids)
})
