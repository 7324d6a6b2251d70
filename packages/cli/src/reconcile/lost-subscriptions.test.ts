import { expect, it } from '@jest/globals'
import { subscriptionColumns } from '@surehook/contracts/events/subscription-columns'
import { aSubscription } from '@surehook/contracts/testing/samples'
import { type Client, DatabaseError } from 'pg'
import { writeSubscriptionsBack } from './lost-subscriptions.ts'

const refusal = () => Object.assign(new DatabaseError('refused', 0, 'error'), { code: '23505' })

const nameAt = Object.keys(subscriptionColumns).indexOf('name')

/** The names of a table that refuses some of the states, and every name that is taken. */
function tableOf(names: Record<string, string | null>, refuses: readonly string[]) {
  const setName = (id: string, name: string | null) => {
    const owner = Object.keys(names).find((other) => names[other] === name)
    if (name !== null && owner !== undefined && owner !== id) throw refusal()
    names[id] = name
  }
  const query = async (sql: string, values: unknown[] = []) => {
    if (sql.includes('select id, name')) {
      return { rows: Object.entries(names).map(([id, name]) => ({ id, name })) }
    }
    if (sql.includes('set name = null')) for (const id of values[0] as string[]) setName(id, null)
    if (sql.includes('set name = $2')) setName(String(values[0]), String(values[1]))
    if (sql.includes('insert into webhook_api.subscription (')) {
      if (refuses.includes(String(values[0]))) throw refusal()
      setName(String(values[0]), values[nameAt] as string | null)
    }
    return { rows: [] }
  }
  return { names, db: { query } as unknown as Client }
}

const lost = (...states: (readonly [id: string, name: string | null])[]) => ({
  lost: new Map(states.map(([id, name]) => [id, aSubscription({ id, name })])),
  taken: new Map<string, string>(),
})

it('leaves the name of a subscription whose newer state is refused', async () => {
  const { names, db } = tableOf({ a: 'billing', b: 'stock' }, ['a'])
  const refused = await writeSubscriptionsBack(db, lost(['a', 'bills'], ['b', 'stocks']))
  expect(refused).toEqual([{ row: 'subscription a', reason: 'refused' }])
  expect(names).toEqual({ a: 'billing', b: 'stocks' })
})

it('says that it lost the name if another one got the name', async () => {
  const { names, db } = tableOf({ a: 'billing', b: null }, ['a'])
  const refused = await writeSubscriptionsBack(db, lost(['a', null], ['b', 'billing']))
  expect(refused.map(({ row }) => row)).toEqual([
    'subscription a',
    'name "billing" of subscription a',
  ])
  expect(names).toEqual({ a: null, b: 'billing' })
})
