import type { AuthStorage, StorageName } from './auth-storage.ts'

/** Which other tabs have the same session: those of one storage, those that copied it, or none. */
export type Scope = 'shared' | 'copied' | 'page'

export type OpenedStorage = { storage: AuthStorage; scope: Scope }

/** Where a browser blocks its storage, the session stays in memory. */
export function openStorage(choice: StorageName | AuthStorage = 'localStorage'): OpenedStorage {
  const storage = typeof choice === 'string' ? named(choice) : choice
  if (storage === undefined) return { storage: memoryStorage(), scope: 'page' }
  // A browser copies the storage of a tab when it duplicates the tab.
  return { storage, scope: storage === named('sessionStorage') ? 'copied' : 'shared' }
}

/** Undefined: the memory, or a storage that does not work. */
function named(name: StorageName): AuthStorage | undefined {
  // Node has storages that need a file and warn without one.
  if (name === 'memory' || !('document' in globalThis)) return undefined
  try {
    const storage: AuthStorage = globalThis[name]
    const probe = 'surehook-auth-probe'
    storage.setItem(probe, '')
    storage.removeItem(probe)
    return storage
  } catch {
    // Blocked by the user, by a policy, or without any room.
    return undefined
  }
}

function memoryStorage(): AuthStorage {
  const items = new Map<string, string>()
  return {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => items.set(key, value),
    removeItem: (key) => items.delete(key),
  }
}
