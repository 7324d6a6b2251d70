import { expect, it } from '@jest/globals'
import { parseSession, type Session, SessionKeeper, type Store } from './session.ts'

const developer: Session = {
  kind: 'developer',
  project: 'shop',
  environment: 'master',
  token: 'mt_1',
}

function newStore(): Store & { readonly entries: Map<string, string> } {
  const entries = new Map<string, string>()
  return {
    entries,
    getItem: (name) => entries.get(name) ?? null,
    setItem: (name, value) => void entries.set(name, value),
    removeItem: (name) => void entries.delete(name),
  }
}

it('keeps the token out of the storage unless asked', () => {
  const store = newStore()
  const keeper = new SessionKeeper(store)
  keeper.start(developer, { keepInTab: false })
  expect(keeper.current().session).toBe(developer)
  expect(store.entries.size).toBe(0)
  keeper.start(developer, { keepInTab: true })
  expect(new SessionKeeper(store).current().session).toEqual(developer)
})

it('forgets everything at the end, and says why', () => {
  const store = newStore()
  const keeper = new SessionKeeper(store)
  keeper.start(developer, { keepInTab: true })
  keeper.end('The token was revoked.')
  expect(keeper.current()).toEqual({ session: null, reason: 'The token was revoked.' })
  expect(store.entries.size).toBe(0)
})

it('does not end a newer session for the failure of an older one', () => {
  const keeper = new SessionKeeper(newStore())
  const newer: Session = { kind: 'operator', token: 'admin' }
  keeper.start(newer, { keepInTab: false })
  keeper.endOf(developer, 'old')
  expect(keeper.current().session).toBe(newer)
})

it.each([null, '', '{', '[]', '{"kind":"developer","token":"t"}', '{"kind":"operator"}'])(
  'takes %p for nobody',
  (text) => {
    expect(parseSession(text)).toBeNull()
  },
)
