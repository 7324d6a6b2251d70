import { reasonOf } from '@surehook/service-kit/errors'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { ClientLine } from '../limits/client-line.ts'
import { type HashQueue, NoHashRoomError } from './hash-queue.ts'
import { normalForm } from './normal-form.ts'
import {
  foreignWorkOf,
  hashOfNobody,
  hashPassword,
  lanesOf,
  needsRehash,
  ownScheme,
  verifyPassword,
  workOf,
} from './password-hash.ts'

export type PasswordAttempt = {
  /** `null`: nobody who can log in. The time tells nobody so. */
  user: { id: string; passwordHash: string | null } | null
  password: string
  /** The costliest scheme that is not our own among the hashes of the environment. */
  costliest: string | null
  line: ClientLine
}

export type PasswordCheck = {
  matches: boolean
  /** To be kept in place of the old hash, when that was weaker than what is usual now. */
  rehashed: string | null
}

export type Passwords = Pick<HashQueue, 'assertCapacity'> & {
  hash(password: string, line: ClientLine): Promise<string>
  check(attempt: PasswordAttempt): Promise<PasswordCheck>
  /** Whether the user has this password; takes as long whether it is so or not. */
  isSame(attempt: PasswordAttempt): Promise<boolean>
}

export function createPasswords(queue: HashQueue, log: Logger): Passwords {
  const hash = (password: string, line: ClientLine) =>
    queue.run({ line, work: () => hashPassword(normalForm(password)) })

  /** `null` when the hash cannot be read: it matches nothing, and somebody has to look at it. */
  const tryVerify = async (passwordHash: string, password: string, userId: string | null) => {
    try {
      return await verifyPassword(passwordHash, password)
    } catch (err) {
      log.error({ userId, reason: reasonOf(err) }, 'password.hash.unreadable')
      return null
    }
  }

  const compare = (attempt: PasswordAttempt, onMatch: 'stop' | 'go on') => {
    const { user, costliest, line } = attempt
    const password = normalForm(attempt.password)
    const passwordHash = user?.passwordHash ?? null
    // One turn for all of it: who is refused half-way would learn something that nobody counted.
    return queue.run({
      line,
      lanes: mostLanes([passwordHash, costliest]),
      work: async () => {
        const outcome =
          passwordHash === null ? null : await tryVerify(passwordHash, password, user?.id ?? null)
        if (outcome === true && onMatch === 'stop') return true
        for (const scheme of restOf(outcome === null ? null : passwordHash, costliest)) {
          await tryVerify(hashOfNobody(scheme), password, null)
        }
        return outcome === true
      },
    })
  }

  return {
    assertCapacity: queue.assertCapacity,
    hash,
    isSame: (attempt) => compare(attempt, 'go on'),
    async check(attempt) {
      const { user, password: given, line } = attempt
      const password = normalForm(given)
      const passwordHash = user?.passwordHash ?? null
      const matches = await compare(attempt, 'stop')
      if (!matches || passwordHash === null) return { matches: false, rehashed: null }
      if (!needsRehash(passwordHash, password)) return { matches, rehashed: null }
      return { matches, rehashed: await hash(given, line).catch(nullWhenBusy) }
    },
  }
}

/**
 * What is still to be verified, so that every wrong password of an environment costs a hash of our own
 * and, where there are imported ones, the costliest of these. An account's own hash is one of the two, or
 * something else: then with what comes nearest to their sum. A sleep would save the core, but scarce
 * cores would tell a sleep from a hash.
 */
export function restOf(own: string | null, costliest: string | null): string[] {
  if (costliest === null) return own === null ? [ownScheme] : []
  const both = [ownScheme, costliest]
  if (own === null) return both
  if (foreignWorkOf(own) === null) return [costliest]
  const sum = (schemes: string[]) => schemes.reduce((total, one) => total + workOf(one), 0)
  const distance = (rest: string[]) => Math.abs(Math.log(sum([own, ...rest]) / sum(both)))
  const choices = [[ownScheme], [costliest], both]
  return choices.reduce((best, next) => (distance(next) < distance(best) ? next : best))
}

/** Nobody who waits can tell by it whose hash is verified: the costliest takes part in every wrong password. */
const mostLanes = (hashes: readonly (string | null)[]): number =>
  Math.max(1, ...hashes.map((hash) => (hash === null ? 1 : lanesOf(hash))))

/** A better hash can be made at the next login as well. */
function nullWhenBusy(err: unknown): null {
  if (err instanceof NoHashRoomError) return null
  throw err
}
