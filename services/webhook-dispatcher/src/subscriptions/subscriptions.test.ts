import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from '@jest/globals'
import type { SealedSecret } from '@surehook/contracts/events'
import { endpointId } from '@surehook/contracts/ids'
import { aSubscription } from '@surehook/contracts/testing/samples'
import { pino } from 'pino'
import { SecretsOpener } from './secrets-opener.ts'
import { unreadable } from './subscription.ts'
import { Subscriptions, type SubscriptionsOptions } from './subscriptions.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const stateOf = (id: string) =>
  aSubscription({
    id,
    filter: `{"status":"${'x'.repeat(10_000)}"}`,
    secrets: [{ ciphertext: `sealed for ${id}`, validUntil: null }],
  })

const droppedKey = 'sealed under a key that was dropped'
const past = '2026-01-01T00:00:00.000Z'
const future = '2126-01-01T00:00:00.000Z'

function setUp(options: Partial<SubscriptionsOptions> = {}) {
  const changed: string[] = []
  const opener = {
    open(sealed: string, id: string) {
      if (sealed === droppedKey) throw new Error('no key opens it')
      return sealed.replace(` for ${id}`, '')
    },
  }
  const subscriptions = new Subscriptions({
    opener: new SecretsOpener(opener, pino({ level: 'silent' })),
    reader: { read: () => Promise.reject(new Error('nothing is read again')) },
    newestStates: 10,
    ...options,
  })
  subscriptions.onChange((id) => void changed.push(id))
  return { subscriptions, changed }
}

it('knows a subscription whose state cannot be read, and does not deliver to it', () => {
  const { subscriptions, changed } = setUp()
  subscriptions.apply('a', stateOf('a'), 0)
  subscriptions.unreadable('a', 0)
  subscriptions.unreadable('b', 0)
  expect(subscriptions.get('a')).toMatchObject({ deliverable: false, url: null })
  expect(subscriptions.get('b')).toMatchObject({ deliverable: false, url: null })
  subscriptions.apply('a', stateOf('a'), 0)
  expect(subscriptions.get('a')).toMatchObject({ url: aSubscription().url })
  expect(subscriptions.get('a')?.deliverable).toBe(true)
  subscriptions.apply('b', null, 0)
  expect(subscriptions.get('b')).toBeUndefined()
  expect(changed).toEqual(['a', 'a', 'b', 'a', 'b'])
})

it.each<[string, SealedSecret, number]>([
  ['has expired', { ciphertext: droppedKey, validUntil: past }, 1],
  ['is still valid', { ciphertext: droppedKey, validUntil: future }, 1],
  ['can be read', { ciphertext: 'sealed for a', validUntil: future }, 2],
])('needs the current secret only, when a replaced one %s', (_what, replaced, signing) => {
  const { subscriptions } = setUp()
  const state = stateOf('a')
  subscriptions.apply('a', { ...state, secrets: [...state.secrets, replaced] }, 0)
  const subscription = subscriptions.get('a')
  expect(subscription?.deliverable).toBe(true)
  expect(subscription?.url !== null && subscription?.secretsAt(Date.now())).toHaveLength(signing)
})

it.each<[string, SealedSecret[]]>([
  ['cannot be read', [{ ciphertext: droppedKey, validUntil: null }]],
  [
    'cannot be read, though a replaced one can',
    [
      { ciphertext: droppedKey, validUntil: null },
      { ciphertext: 'sealed for a', validUntil: future },
    ],
  ],
  ['is missing', []],
])('does not deliver when the current secret %s', (_what, secrets) => {
  const { subscriptions } = setUp()
  subscriptions.apply('a', { ...stateOf('a'), secrets }, 0)
  expect(subscriptions.get('a')?.deliverable).toBe(false)
})

it('tells which endpoint a subscription has left', () => {
  const { subscriptions } = setUp()
  const left: (string | null)[] = []
  subscriptions.onChange((_id, endpoint) => void left.push(endpoint))
  const [first, second] = ['https://a.example/1', 'https://a.example/2'].map((url) =>
    endpointId({ ...aSubscription(), url }),
  )
  subscriptions.apply('a', { ...stateOf('a'), url: 'https://a.example/1' }, 0)
  subscriptions.apply('a', { ...stateOf('a'), url: 'https://a.example/1', active: false }, 0)
  subscriptions.apply('a', { ...stateOf('a'), url: 'https://a.example/2' }, 0)
  expect([first, second].map((id) => subscriptions.isAnyAt(id ?? ''))).toEqual([false, true])
  const createdAt = Date.parse(stateOf('a').createdAt)
  const at = [createdAt - 1, createdAt]
  expect(at.map((time) => subscriptions.isAnyAt(second ?? '', time))).toEqual([false, true])
  subscriptions.unreadable('b', 0)
  subscriptions.apply('a', null, 0)
  expect(left).toEqual([null, null, first, null, second])
  expect(subscriptions.isAnyAt(second ?? '')).toBe(false)
})

it('keeps only the parts of a state that attempts need', async () => {
  const { subscriptions } = setUp()
  const states = ['a', 'b', 'c'].map((id) => {
    const state = stateOf(id)
    subscriptions.apply(id, state, 0)
    return new WeakRef(state)
  })
  await turn()
  collectGarbage()
  expect(states.filter((state) => state.deref() !== undefined)).toEqual([])
  expect(subscriptions.get('a')?.deliverable).toBe(true)
})

it('is inactive since its last change at the latest', () => {
  const { subscriptions } = setUp()
  subscriptions.apply('a', stateOf('a'), 0)
  expect(subscriptions.get('a')).toMatchObject({ inactiveSince: Number.POSITIVE_INFINITY })
  subscriptions.apply('a', { ...stateOf('a'), active: false }, 0)
  expect(subscriptions.get('a')).toMatchObject({ inactiveSince: Date.parse(past) })
})

it("does not deliver by another subscription's state at the offset of its own", async () => {
  const read = async () => aSubscription({ id: 'b', projectId: 'other' })
  const { subscriptions: all } = setUp({ reader: { read }, newestStates: 0 })
  all.apply('a', aSubscription({ id: 'a' }), 7)
  expect(await all.read('a')).toBe(unreadable)
})
