import { expect, it } from '@jest/globals'
import { openStore } from './open-store.ts'
import type { Peers } from './peers.ts'
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

it.each([true, false])('replaces a session by one that is kept as long: %p', (keepInTab) => {
  const store = newStore()
  const keeper = new SessionKeeper(store)
  keeper.start({ kind: 'operator', token: 'admin' }, { keepInTab })
  keeper.become(developer)
  expect(keeper.current()).toEqual({ session: developer })
  expect(new SessionKeeper(store).current().session).toEqual(keepInTab ? developer : null)
  expect([...store.entries.values()].join()).not.toContain('admin')
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

const blocked = () => {
  throw new DOMException('The operation is insecure.', 'SecurityError')
}

it.each([
  ['the storage', blocked],
  ['reading it', () => ({ ...newStore(), getItem: blocked })],
])('signs in where the browser blocks %s', (_what, open: () => Store) => {
  const keeper = new SessionKeeper(openStore(open))
  keeper.start(developer, { keepInTab: true })
  expect(keeper.current().session).toBe(developer)
  keeper.end()
  expect(keeper.current().session).toBeNull()
})

it('uses the storage of the tab where there is one', () => {
  const store = newStore()
  expect(openStore(() => store)).toBe(store)
})

it('stays signed in without a storage that takes nothing more', () => {
  const store = newStore()
  const full = () => {
    throw new DOMException('', 'QuotaExceededError')
  }
  const keeper = new SessionKeeper({ ...store, setItem: full })
  store.setItem('surehook.session', 'of somebody else')
  keeper.start(developer, { keepInTab: true })
  expect(keeper.current().session).toBe(developer)
  expect(store.entries.size).toBe(0)
})

/** Tabs of one browser: each hears what the others tell. */
function newTabs(): () => Peers {
  const listeners = new Map<Peers, (id: string) => void>()
  return () => {
    const self: Peers = {
      announceEnd: (id) => {
        for (const [peer, listener] of listeners) if (peer !== self) listener(id)
      },
      onEnd: (listener) => void listeners.set(self, listener),
    }
    return self
  }
}

it('ends in duplicated tabs too, and in no other tab', () => {
  const newTab = newTabs()
  const store = newStore()
  const keeper = new SessionKeeper(store, newTab())
  keeper.start(developer, { keepInTab: true })
  const copied = newStore()
  for (const [name, value] of store.entries) copied.setItem(name, value)
  const duplicate = new SessionKeeper(copied, newTab())
  const other = new SessionKeeper(newStore(), newTab())
  other.start(developer, { keepInTab: true })
  const unkept = new SessionKeeper(newStore(), newTab())
  unkept.start(developer, { keepInTab: false })

  keeper.end()
  expect(duplicate.current()).toEqual({
    session: null,
    reason: 'You signed out in another tab.',
  })
  expect(copied.entries.size).toBe(0)
  expect(other.current().session).toBe(developer)
  expect(unkept.current().session).toBe(developer)
})
