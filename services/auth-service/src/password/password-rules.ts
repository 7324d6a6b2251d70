import type { AuthSettings } from '@surehook/contracts/http/admin/auth-settings'
import type { RuledViolation } from '@surehook/contracts/problem'
import type { ViolationRule } from '@surehook/contracts/violation-rules'
import type { ClientLine } from '../limits/client-line.ts'
import type { BreachCheck } from './breach-check.ts'
import { commonPasswords } from './common-passwords.ts'
import type { HashQueue } from './hash-queue.ts'
import { normalForm } from './normal-form.ts'
import type { PasswordStrength } from './password-strength.ts'

export type NewPassword = {
  /** The field of the request that held the password. */
  field: 'password' | 'newPassword'
  password: string
  /** The normalised address; absent if the request held no valid one. */
  email?: string | undefined
  /** The user's names, if known: a password that contains them is easy to guess. */
  names?: readonly string[]
}

export const maxPasswordLength = 128

/** Returns one violation for each rule that the password breaks. */
export function passwordFaults(
  { field, password: given, email }: NewPassword,
  { minLength }: Pick<AuthSettings['password'], 'minLength'>,
): RuledViolation[] {
  const password = normalForm(given)
  const lower = password.toLowerCase()
  const { length } = Array.from(password)
  const rules: [broken: boolean, rule: ViolationRule, message: string][] = [
    [length < minLength, 'too_short', `must have at least ${minLength} characters`],
    [length > maxPasswordLength, 'too_long', `must have at most ${maxPasswordLength} characters`],
    [!password.isWellFormed(), 'invalid_text', 'must be valid text'],
    // A short one is a part of many addresses by chance, and is refused as it is.
    [
      length >= minLength && email?.includes(lower) === true,
      'contains_email',
      'must not be the e-mail address or a part of it',
    ],
    [commonPasswords.has(lower), 'common', 'must not be one of the most common passwords'],
  ]
  return rules.flatMap(([broken, rule, message]) => (broken ? [{ field, message, rule }] : []))
}

export type PasswordRules = {
  /**
   * Like `passwordFaults`, with the environment's further rules: the strength of the password and,
   * if no rule is broken, whether a breach exposed it.
   */
  faults(
    given: NewPassword,
    settings: AuthSettings['password'],
    line: ClientLine,
  ): Promise<RuledViolation[]>
}

export type PasswordRulesDeps = {
  isBreached: BreachCheck
  strength: Pick<PasswordStrength, 'score'>
  /** Strength scores wait in the same queue as hashes. */
  queue: Pick<HashQueue, 'run'>
}

export function createPasswordRules({
  isBreached,
  strength,
  queue,
}: PasswordRulesDeps): PasswordRules {
  const scoreOf = ({ password, email = '', names = [] }: NewPassword, line: ClientLine) => {
    const about = [email, ...email.split(/[^\p{L}\p{N}]+/u), ...names].filter(Boolean)
    const work = () => strength.score({ password: normalForm(password), about })
    return queue.run({ line, work })
  }
  return {
    async faults(given, settings, line) {
      const { minScore, breachCheck } = settings
      const faults = passwordFaults(given, settings)
      const score = minScore === 0 ? minScore : await scoreOf(given, line)
      if (score < minScore) {
        const message = tooGuessable(score, minScore)
        faults.push({ field: given.field, message, rule: 'too_guessable' })
      }
      if (faults.length > 0 || !breachCheck) return faults
      if (!(await isBreached(normalForm(given.password)))) return []
      return [{ field: given.field, message: 'is known from a data breach', rule: 'breached' }]
    },
  }
}

const tooGuessable = (score: number, minScore: number) =>
  `is too easy to guess: its strength is ${score} of 4, and must be at least ${minScore}`
