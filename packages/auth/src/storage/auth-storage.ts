/** Has the methods of `localStorage`. They may be asynchronous. */
export type AuthStorage = {
  getItem(key: string): string | null | Promise<string | null>
  setItem(key: string, value: string): unknown
  removeItem(key: string): unknown
}

/**
 * `localStorage`: all tabs, also later. `sessionStorage`: one tab, also after a reload. `memory`:
 * one page.
 */
export type StorageName = 'localStorage' | 'sessionStorage' | 'memory'
