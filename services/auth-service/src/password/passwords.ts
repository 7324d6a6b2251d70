import { randomBytes } from 'node:crypto'
import { AppError } from '@surehook/service-kit/errors'
import type { HashQueue } from './hash-queue.ts'
import { hashPassword, needsRehash, verifyPassword } from './password-hash.ts'

export type PasswordCheck = {
  matches: boolean
  /** To be kept in place of the old hash, when that was weaker than what is usual now. */
  rehashed: string | null
}

export type Passwords = Pick<HashQueue, 'demandRoom'> & {
  hash(password: string): Promise<string>
  /** `null` is checked against a hash of nothing: the time tells nobody that there is no account. */
  check(passwordHash: string | null, password: string): Promise<PasswordCheck>
}

export async function createPasswords(queue: HashQueue): Promise<Passwords> {
  const nobody = await hashPassword(randomBytes(32).toString('base64url'))
  const hash = (password: string) => queue.run(() => hashPassword(password))
  return {
    demandRoom: () => queue.demandRoom(),
    hash,
    async check(passwordHash, password) {
      const matches = await queue.run(() => verifyPassword(passwordHash ?? nobody, password))
      if (passwordHash === null || !matches) return { matches: false, rehashed: null }
      if (!needsRehash(passwordHash)) return { matches, rehashed: null }
      return { matches, rehashed: await hash(password).catch(nullWhenBusy) }
    },
  }
}

/** A better hash can be made at the next login as well. */
function nullWhenBusy(err: unknown): null {
  if (err instanceof AppError && err.code === 'SERVICE_UNAVAILABLE') return null
  throw err
}
