import type { RateLimits } from '../limits/rate-limits.ts'
import type { Tenant } from '../platform/tenant.ts'
import type { Client } from '../use-cases/call.ts'
import { isShortCode, readCode } from './code-text.ts'
import { type CodeSubject, type Codes, invalidCode } from './codes.ts'

export type CodeTry = { subject: CodeSubject & { tenant: Tenant }; text: string; client: Client }

/** Resolves with the code that the text means. Throws AUTH_INVALID_CODE if it is not right. */
export async function tryCode(
  { limits, codes }: { limits: RateLimits; codes: Codes },
  { subject, text, client }: CodeTry,
): Promise<string> {
  const code = readCode(text)
  const guess = { client: client.address, shortCode: isShortCode(code) ? subject.purpose : null }
  const isRight = () => codes.isRight(subject, code)
  if (!(await limits.guess(subject.tenant, guess, isRight))) throw invalidCode()
  return code
}
