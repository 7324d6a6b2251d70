import type { AuthSettings } from '@surehook/contracts/http/admin'
import type { Violation } from '@surehook/contracts/problem'
import type { BreachCheck } from './breach-check.ts'
import { commonPasswords } from './common-passwords.ts'
import { normalForm } from './normal-form.ts'

export type NewPassword = {
  /** The field that it was sent in. */
  field: 'password' | 'newPassword'
  password: string
  /** Normalised; absent when what was sent is no address. */
  email?: string | undefined
}

const maxLength = 128

/** Every rule that the password breaks, each as a violation of its own. */
export function passwordFaults(
  { field, password: given, email }: NewPassword,
  { minLength }: Pick<AuthSettings['password'], 'minLength'>,
): Violation[] {
  const password = normalForm(given)
  const lower = password.toLowerCase()
  const { length } = Array.from(password)
  const rules: [broken: boolean, message: string][] = [
    [length < minLength, `must have at least ${minLength} characters`],
    [length > maxLength, `must have at most ${maxLength} characters`],
    [!password.isWellFormed(), 'must be valid text'],
    // A short one is a part of many addresses by chance, and is refused as it is.
    [
      length >= minLength && email?.includes(lower) === true,
      'must not be the e-mail address or a part of it',
    ],
    [commonPasswords.has(lower), 'must not be one of the most common passwords'],
  ]
  return rules.flatMap(([broken, message]) => (broken ? [{ field, message }] : []))
}

export type PasswordRules = {
  /** As `passwordFaults`; asks about breaches, where the environment wants it, when no rule is broken. */
  faults(given: NewPassword, settings: AuthSettings['password']): Promise<Violation[]>
}

export function createPasswordRules(isBreached: BreachCheck): PasswordRules {
  return {
    async faults(given, settings) {
      const faults = passwordFaults(given, settings)
      if (faults.length > 0 || !settings.breachCheck) return faults
      if (!(await isBreached(normalForm(given.password)))) return []
      return [{ field: given.field, message: 'is known from a data breach' }]
    },
  }
}
