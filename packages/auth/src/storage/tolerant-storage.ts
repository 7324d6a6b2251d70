import type { AuthStorage } from './auth-storage.ts'

/**
 * A storage that may stop working at any time: without room, or blocked. A session must survive
 * this in memory, so that a failure is an answer here.
 */
export class TolerantStorage {
  readonly #storage: AuthStorage

  constructor(storage: AuthStorage) {
    this.#storage = storage
  }

  async get(key: string): Promise<string | null> {
    try {
      return await this.#storage.getItem(key)
    } catch {
      return null
    }
  }

  /** Resolves with whether the value is stored. */
  set(key: string, value: string): Promise<boolean> {
    return succeeds(() => this.#storage.setItem(key, value))
  }

  remove(key: string): Promise<boolean> {
    return succeeds(() => this.#storage.removeItem(key))
  }
}

async function succeeds(change: () => unknown): Promise<boolean> {
  try {
    await change()
    return true
  } catch {
    return false
  }
}
