import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from '@jest/globals'
import type { AccessExplanation } from '@surehook/contracts/http/data/explanation'
import { managementRights } from '@surehook/contracts/rights'
import { fieldsOf } from '@surehook/scripts/client/call'
import { text, type User, useRulesWorld } from './support/rules-world.ts'

const rules = useRulesWorld()
const columns = [
  text('title'),
  text('region'),
  { name: 'total', type: 'decimal' },
  { name: 'owner', type: 'uuid' },
]
let ada: User

beforeEach(async () => {
  ada = await rules.userWith('seller')
  rules.issuer.values.set(ada.id, {
    email: 'ada@example.com',
    attributes: { region: 'north' },
    roles: ['seller'],
  })
})

async function recordOf(access: object, record: object = {}) {
  await rules.define('orders', { columns, access })
  const { id } = (await rules.manager.call('POST orders', record)).body
  return id
}

const explain = (recordId: string) =>
  rules.asUser(ada.id).call<AccessExplanation>(`GET _tables/orders/explain?recordId=${recordId}`)

describe('an explanation of the access to a record', () => {
  test('says of each rule whether it admits the record, and why not', async () => {
    const seller = { role: 'seller', where: { region: '$user.region', total: { gte: '100' } } }
    const entries = [
      seller,
      { role: 'seller', where: { not: { region: 'south' } } },
      { role: '*', where: { region: '$user.country' } },
      { role: '*', where: { total: '$user.region' } },
      'manager',
    ]
    const record = { title: 'a', region: 'south', total: '99.5' }
    const id = await recordOf({ read: entries, delete: ['manager'] }, record)
    const { body } = await explain(id)
    expect(body).toMatchObject({ recordId: id, userId: ada.id, roles: ['seller'] })
    expect(body.read).toEqual({
      allowed: false,
      reason: 'No rule of the user admits the record',
      columns: [],
      rules: [
        {
          place: 'access.read.0',
          rule: seller,
          outcome: 'not_met',
          reason: 'The record does not meet where.region',
          field: 'access.read.0.where.region',
          expected: 'north',
          actual: 'south',
        },
        expect.objectContaining({ outcome: 'not_met', field: 'access.read.1.where.not' }),
        expect.objectContaining({
          outcome: 'no_value',
          reason: 'The user has no $user.country',
        }),
        expect.objectContaining({
          outcome: 'no_value',
          reason: 'A value of the user does not fit',
        }),
        {
          place: 'access.read.4',
          rule: 'manager',
          outcome: 'other_role',
          reason: 'The user has no role "manager"',
        },
      ],
    })
    expect(body.delete).toMatchObject({
      allowed: false,
      reason: 'No role of the user allows this',
      rules: [{ place: 'access.delete.0', outcome: 'other_role' }],
    })
    expect(body.update).toMatchObject({ allowed: false, rules: [] })
    expect((await ada.call(`GET orders/${id}`)).status).toBe(404)
  })

  test('names the columns, and agrees with what the user may do', async () => {
    const own = { owner: '$user.id' }
    const id = await recordOf(
      {
        read: [
          { role: '*', where: own, columns: ['title'] },
          { role: 'seller', columns: ['total'] },
        ],
        update: [{ role: '*', where: own, set: own }],
        delete: ['seller'],
      },
      { title: 'a', owner: ada.id, total: 1 },
    )
    const { body } = await explain(id)
    expect(body.read).toMatchObject({
      allowed: true,
      columns: ['title', 'total'],
      rules: [{ outcome: 'admits' }, { outcome: 'admits' }],
    })
    expect(body.update).toMatchObject({ allowed: true, columns: ['title', 'region', 'total'] })
    expect(body.delete).toMatchObject({ allowed: true })
    expect(body.delete).not.toHaveProperty('columns')
    const shown = (await ada.call(`GET orders/${id}`)).body
    expect(Object.keys(shown)).toEqual(['id', 'title', 'total', 'createdAt', 'updatedAt'])
    expect((await ada.call(`PATCH orders/${id}`, { title: 'b' })).status).toBe(200)
    expect((await ada.call(`DELETE orders/${id}`)).status).toBe(200)
  })

  test('compares by the types of the columns', async () => {
    const read = [{ role: '*', where: { total: { in: ['10', '11'] }, owner: '$user.id' } }]
    const id = await recordOf({ read }, { total: '10.00', owner: ada.id })
    expect((await explain(id)).body.read).toMatchObject({ allowed: true })
    expect((await ada.call(`GET orders/${id}`)).status).toBe(200)
  })

  test('is for a management token with the rights to records, tables and users', async () => {
    const id = await recordOf({ read: ['*'] })
    const path = `GET _tables/orders/explain?recordId=${id}`
    for (const right of managementRights) {
      const rights = managementRights.filter((one) => one !== right)
      const token = await rules.world.token(rules.tenant.projectId, { rights })
      const { status } = await rules.asUser(ada.id, token).call(path)
      expect([right, status]).toEqual([
        right,
        right === 'sources' || right === 'webhooks' ? 200 : 403,
      ])
    }
    expect((await ada.call(path)).status).toBe(403)
    const itself = { 'x-as-user': ada.id }
    expect((await ada.call(path, undefined, itself)).status).toBe(403)
    const nobody = await rules.manager.call(path)
    expect([nobody.status, fieldsOf(nobody)]).toEqual([400, ['X-As-User']])
  })

  test('is of a table, a record and a user that exist', async () => {
    const id = await recordOf({ read: ['*'] })
    const other = await rules.world.tenant()
    const theirs = await rules
      .asUser(ada.id, other.token)
      .call(`GET _tables/orders/explain?recordId=${id}`, undefined, {
        'x-project-id': other.projectId,
      })
    expect(theirs.body.error).toBe('TABLE_NOT_FOUND')
    for (const recordId of [randomUUID(), 'x']) {
      expect((await explain(recordId)).body).toMatchObject({ error: 'RECORD_NOT_FOUND' })
    }
    const missing = await rules.asUser(ada.id).call(`GET _tables/no/explain?recordId=${id}`)
    expect(missing.body.error).toBe('TABLE_NOT_FOUND')
    const stranger = await rules
      .asUser(randomUUID())
      .call(`GET _tables/orders/explain?recordId=${id}`)
    expect(stranger.body.error).toBe('USER_NOT_FOUND')
  })
})
