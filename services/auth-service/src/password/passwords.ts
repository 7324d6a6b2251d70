import { reasonOf } from '@surehook/service-kit/errors'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { ClientLine } from '../limits/client-line.ts'
import { NoHashRoomError } from '../limits/no-hash-room-error.ts'
import type { HashQueue } from './hash-queue.ts'
import { normalForm } from './normal-form.ts'
import {
  foreignWorkOf,
  hashesOf,
  hashOfNobody,
  hashPassword,
  isCut,
  lanesOf,
  needsRehash,
  ownScheme,
  verifyPassword,
  workOf,
} from './password-hash.ts'

export type PasswordAttempt = {
  /** `null` if no such user can log in. The check then takes the same time. */
  user: { id: string; passwordHash: string | null } | null
  password: string
  /** The costliest imported scheme in the environment; `null` if it has none. */
  costliest: string | null
  line: ClientLine
}

export type PasswordCheck = {
  matches: boolean
  /** A new hash to store in place of the old one, if the old one was weaker than the default. */
  rehashed: string | null
}

export type Passwords = Pick<HashQueue, 'assertCapacity'> & {
  hash(password: string, line: ClientLine): Promise<string>
  check(attempt: PasswordAttempt): Promise<PasswordCheck>
  /** Resolves to whether the password is the user's. The time does not depend on the result. */
  isSame(attempt: PasswordAttempt): Promise<boolean>
}

export function createPasswords(queue: HashQueue, log: Logger): Passwords {
  const hash = (password: string, line: ClientLine) =>
    queue.run({ line, work: () => hashPassword(normalForm(password)) })

  /**
   * Returns `null` if the hash is unreadable. It then matches nothing, and an operator has to fix
   * the user.
   */
  const tryVerify = async (passwordHash: string, password: string, userId: string | null) => {
    try {
      return await verifyPassword(passwordHash, password)
    } catch (err) {
      log.error({ userId, reason: reasonOf(err) }, 'password.hash.unreadable')
      return null
    }
  }

  /** Resolves to the form of the password that matches, or `null`. */
  const compare = (attempt: PasswordAttempt, onMatch: 'stop' | 'go on') => {
    const { user, costliest, line } = attempt
    const forms = formsOf(attempt.password)
    const passwordHash = user?.passwordHash ?? null
    // One turn covers all hashes: a refusal between two of them would leak a result that no limit
    // counted.
    return queue.run({
      line,
      lanes: mostLanes([passwordHash, costliest]),
      hashes: forms.length * hashesOf(costliest),
      work: async () => {
        let matching: string | null = null
        for (const password of forms) {
          const outcome =
            passwordHash === null ? null : await tryVerify(passwordHash, password, user?.id ?? null)
          if (outcome === true) matching ??= password
          if (matching !== null && onMatch === 'stop') return matching
          const own = outcome === null ? null : passwordHash
          for (const scheme of remainingSchemes(own, costliest)) {
            await tryVerify(hashOfNobody(scheme), password, null)
          }
        }
        return matching
      },
    })
  }

  return {
    assertCapacity: queue.assertCapacity,
    hash,
    isSame: async (attempt) => (await compare(attempt, 'go on')) !== null,
    async check(attempt) {
      const { user, password: given, line } = attempt
      const passwordHash = user?.passwordHash ?? null
      const matching = await compare(attempt, 'stop')
      if (matching === null || passwordHash === null) return { matches: false, rehashed: null }
      if (isKept(passwordHash, matching)) return { matches: true, rehashed: null }
      return { matches: true, rehashed: await hash(given, line).catch(nullWhenBusy) }
    },
  }
}

/**
 * True for a hash of the normal form with the default parameters, and for one that cannot be
 * replaced.
 */
const isKept = (passwordHash: string, matching: string): boolean =>
  isCut(passwordHash, matching) ||
  (matching === normalForm(matching) && !needsRehash(passwordHash, matching))

/**
 * The normal form, and then the password as typed: an imported hash may be of that. Every account
 * costs as much.
 */
function formsOf(given: string): string[] {
  const normal = normalForm(given)
  return normal === given ? [normal] : [normal, given]
}

/**
 * Returns the schemes still to verify, so that every wrong password in an environment costs one
 * default hash plus the costliest imported one. The account's own hash may be neither: then the
 * choice comes nearest to that sum. A sleep would save CPU, but on a busy machine its time differs
 * from that of a hash.
 */
export function remainingSchemes(own: string | null, costliest: string | null): string[] {
  if (costliest === null) return own === null ? [ownScheme] : []
  const both = [ownScheme, costliest]
  if (own === null) return both
  if (foreignWorkOf(own) === null) return [costliest]
  const sum = (schemes: string[]) => schemes.reduce((total, one) => total + workOf(one), 0)
  const distance = (rest: string[]) => Math.abs(Math.log(sum([own, ...rest]) / sum(both)))
  const choices = [[ownScheme], [costliest], both]
  return choices.reduce((best, next) => (distance(next) < distance(best) ? next : best))
}

/**
 * Every wrong password uses as many lanes as the costliest scheme, so that waiting times do not
 * reveal the scheme of an account.
 */
const mostLanes = (hashes: readonly (string | null)[]): number =>
  Math.max(1, ...hashes.map((hash) => (hash === null ? 1 : lanesOf(hash))))

/** The next login can make the better hash. */
function nullWhenBusy(err: unknown): null {
  if (err instanceof NoHashRoomError) return null
  throw err
}
