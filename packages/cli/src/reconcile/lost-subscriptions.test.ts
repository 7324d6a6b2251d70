import { expect, it } from '@jest/globals'
import { subscriptionColumns } from '@surehook/contracts/events/subscription-columns'
import { aSubscription } from '@surehook/contracts/testing/samples'
import type { KafkaMessage } from '@surehook/kafka/client/surface'
import { type Client, DatabaseError } from 'pg'
import { readSubscriptions, writeSubscriptionsBack } from './lost-subscriptions.ts'

const refusal = () => Object.assign(new DatabaseError('refused', 0, 'error'), { code: '23505' })

const keyAt = Object.keys(subscriptionColumns).indexOf('key')

/** The keys of a table that refuses some of the states, and every key that is taken. */
function tableOf(keys: Record<string, string | null>, refuses: readonly string[]) {
  const setKey = (id: string, key: string | null) => {
    const owner = Object.keys(keys).find((other) => keys[other] === key)
    if (key !== null && owner !== undefined && owner !== id) throw refusal()
    keys[id] = key
  }
  const query = async (sql: string, values: unknown[] = []) => {
    if (sql.includes('select id, key')) {
      return { rows: Object.entries(keys).map(([id, key]) => ({ id, key })) }
    }
    if (sql.includes('set key = null')) for (const id of values[0] as string[]) setKey(id, null)
    if (sql.includes('set key = $2')) setKey(String(values[0]), String(values[1]))
    if (sql.includes('insert into webhook_api.subscription (')) {
      if (refuses.includes(String(values[0]))) throw refusal()
      setKey(String(values[0]), values[keyAt] as string | null)
    }
    return { rows: [] }
  }
  return { keys, db: { query } as unknown as Client }
}

const lost = (...states: (readonly [id: string, key: string | null])[]) => ({
  lost: new Map(states.map(([id, key]) => [id, aSubscription({ id, key })])),
  taken: new Map<string, string>(),
})

it('leaves the key of a subscription whose newer state is refused', async () => {
  const { keys, db } = tableOf({ a: 'billing', b: 'stock' }, ['a'])
  const refused = await writeSubscriptionsBack(db, lost(['a', 'bills'], ['b', 'stocks']))
  expect(refused).toEqual([{ row: 'subscription a', reason: 'refused' }])
  expect(keys).toEqual({ a: 'billing', b: 'stocks' })
})

it('says that it lost the key if another one got it', async () => {
  const { keys, db } = tableOf({ a: 'billing', b: null }, ['a'])
  const refused = await writeSubscriptionsBack(db, lost(['a', null], ['b', 'billing']))
  expect(refused.map(({ row }) => row)).toEqual([
    'subscription a',
    'key "billing" of subscription a',
  ])
  expect(keys).toEqual({ a: null, b: 'billing' })
})

it.each([
  ['both are there', { name: 'Billing of ACME', key: 'billing' }, 'billing'],
  ['it has no key', { name: 'Billing of ACME', key: null }, null],
  ['an older service wrote it, whose name is the key', { name: 'billing', key: '' }, 'billing'],
  ['an older service wrote it without a name', { name: null, key: '' }, null],
  ['an older service wrote a newer name', { name: 'Billing of ACME', key: '' }, null],
])('a lost subscription gets its name and its key back: %s', async (_, fields, key) => {
  const decode = async () => aSubscription({ id: 'a', ...fields })
  const states = readSubscriptions(
    { subscription: { decode } } as unknown as Parameters<typeof readSubscriptions>[0],
    { has: () => false },
  )
  const message = { key: Buffer.from('a'), value: Buffer.from('state'), headers: {} }
  await states.take([message as unknown as KafkaMessage])
  const db = { query: async () => ({ rows: [] }) } as unknown as Client
  const { lost: found } = await states.compare(db)
  expect(found.get('a')).toMatchObject({ name: fields.name, key })
})
