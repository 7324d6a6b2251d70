import { afterEach, expect, it } from '@jest/globals'
import { openStorage } from './open-storage.ts'

const page = globalThis as Record<string, unknown>
afterEach(() => {
  for (const name of ['document', 'localStorage', 'sessionStorage']) {
    Object.defineProperty(globalThis, name, { configurable: true, value: undefined })
  }
  delete page['document']
})

const storageOf = () => {
  const items = new Map<string, string>()
  return {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => items.set(key, value),
    removeItem: (key: string) => items.delete(key),
  }
}

/** A browser with these storages. */
function open(storages: Record<string, () => unknown>): void {
  Object.defineProperty(globalThis, 'document', { configurable: true, value: {} })
  for (const [name, get] of Object.entries(storages)) {
    Object.defineProperty(globalThis, name, { configurable: true, get })
  }
}

const blocked = () => {
  throw new Error('blocked')
}

it('knows who else has what a storage of a browser holds', () => {
  const [local, session] = [storageOf(), storageOf()]
  open({ localStorage: () => local, sessionStorage: () => session })
  expect(openStorage()).toEqual({ storage: local, scope: 'shared' })
  expect(openStorage('sessionStorage')).toEqual({ storage: session, scope: 'copied' })
  expect(openStorage(session).scope).toBe('copied')
  expect(openStorage(storageOf()).scope).toBe('shared')
  expect(openStorage('memory').scope).toBe('page')
})

it('falls back to memory where a browser blocks its storage, or has no room', () => {
  open({ localStorage: blocked, sessionStorage: () => ({ ...storageOf(), setItem: blocked }) })
  for (const name of ['localStorage', 'sessionStorage'] as const) {
    const { storage, scope } = openStorage(name)
    storage.setItem('k', 'v')
    expect([scope, storage.getItem('k')]).toEqual(['page', 'v'])
  }
})

it('uses memory in Node', () => {
  expect(openStorage().scope).toBe('page')
})
