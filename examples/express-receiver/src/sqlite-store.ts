import { DatabaseSync } from 'node:sqlite'
import type { DedupeStore } from '@surehook/receiver'

/** A store that several processes on one machine share, and that remembers across restarts. */
export function openSqliteStore(file: string): DedupeStore {
  const database = new DatabaseSync(file, { timeout: 5_000 })
  database.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE IF NOT EXISTS delivery (
      id TEXT PRIMARY KEY,
      token TEXT NOT NULL,
      reserved_until INTEGER NOT NULL,
      done INTEGER NOT NULL DEFAULT 0
    ) STRICT;
  `)
  const claim = database.prepare(`
    INSERT INTO delivery AS d (id, token, reserved_until) VALUES (:id, :token, :until)
    ON CONFLICT (id) DO UPDATE SET token = :token, reserved_until = :until
    WHERE d.done = 0 AND d.reserved_until < :now
  `)
  const isDone = database.prepare('SELECT 1 FROM delivery WHERE id = ? AND done = 1')
  const complete = database.prepare('UPDATE delivery SET done = 1 WHERE id = ?')
  const release = database.prepare('DELETE FROM delivery WHERE id = ? AND token = ? AND done = 0')
  return {
    async claim(id, token, leaseMs) {
      const now = Date.now()
      const { changes } = claim.run({ id, token, until: now + leaseMs, now })
      if (changes === 1) return 'claimed'
      return isDone.get(id) === undefined ? 'busy' : 'done'
    },
    async complete(id) {
      complete.run(id)
    },
    async release(id, token) {
      release.run(id, token)
    },
  }
}
