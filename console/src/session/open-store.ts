import type { Store } from './session.ts'

/** The storage of the tab. Where the browser blocks site data, the session lasts until a reload. */
export function openStore(open: () => Store): Store {
  try {
    const store = open()
    store.getItem('')
    return store
  } catch {
    // A blocked storage throws as soon as it is read. The user can sign in without it.
    return newMemoryStore()
  }
}

function newMemoryStore(): Store {
  const entries = new Map<string, string>()
  return {
    getItem: (name) => entries.get(name) ?? null,
    setItem: (name, value) => void entries.set(name, value),
    removeItem: (name) => void entries.delete(name),
  }
}
