import { createHash, hkdfSync, randomBytes } from 'node:crypto'
import { ConsoleSession } from '@surehook/contracts/http/admin/console-codes'
import { createSecretBox } from '@surehook/service-kit/crypto/secret-box'
import type { RedisClient } from '@surehook/service-kit/redis/client'

/** One-time codes, each with the session that it opens. */
export type ConsoleCodes = {
  create(session: ConsoleSession): Promise<{ code: string; expiresAt: string }>
  /** Ends the code. Resolves with `null` for an unknown, expired or used one. */
  take(code: string): Promise<ConsoleSession | null>
}

export const codeLifetimeMs = 30_000

/**
 * Redis keeps the session until the code is used or expires. Neither the key nor the value reveals
 * the code or the token: the key is a hash of the code, and a key derived from the code encrypts
 * the session.
 */
export function createConsoleCodes(redis: RedisClient): ConsoleCodes {
  return {
    async create(session) {
      const code = randomBytes(32).toString('base64url')
      const expiresAt = new Date(Date.now() + codeLifetimeMs).toISOString()
      const key = keyOf(code)
      await redis.set(key, boxOf(code).seal(JSON.stringify(session), key), { PX: codeLifetimeMs })
      return { code, expiresAt }
    },
    async take(code) {
      const key = keyOf(code)
      // A transaction instead of GETDEL, which the Redis users of earlier releases may not call.
      const [sealed] = await redis.multi().get(key).del(key).execTyped()
      return sealed === null ? null : sessionIn(boxOf(code).open(sealed, key))
    },
  }
}

const keyOf = (code: string) =>
  `auth:console-code:${createHash('sha256').update(code).digest('base64url')}`

const boxOf = (code: string) =>
  createSecretBox(Buffer.from(hkdfSync('sha256', code, '', 'surehook/auth/console-code', 32)))

const sessionIn = (text: string) => ConsoleSession.parse(JSON.parse(text))
