import type { PublicSettings } from '@surehook/contracts/http/account'
import type { AuthSettings } from '@surehook/contracts/http/admin/auth-settings'
import type { ViolationRule } from '@surehook/contracts/violation-rules'
import { maxPasswordLength } from '../password/password-rules.ts'

const rulesOfAll: readonly ViolationRule[] = [
  'too_short',
  'too_long',
  'invalid_text',
  'contains_email',
  'common',
]

/** Returns the settings that a form may show before a login. */
export function publicSettings({
  emailVerification,
  encryptTokens,
  password: { minLength, minScore, breachCheck },
}: AuthSettings): PublicSettings {
  const rules = [
    ...rulesOfAll,
    ...(minScore > 0 ? (['too_guessable'] as const) : []),
    ...(breachCheck ? (['breached'] as const) : []),
  ]
  const password = { minLength, maxLength: maxPasswordLength, minScore, breachCheck, rules }
  return { emailVerification, encryptTokens, password }
}
