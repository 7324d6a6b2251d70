import { createHash } from 'node:crypto'
import { reasonOf } from '@surehook/service-kit/errors'
import type { Logger } from '@surehook/service-kit/telemetry/log'

/** Resolves to true if the password is in a list of breached ones. */
export type BreachCheck = (password: string) => Promise<boolean>

const timeoutMs = 1_500

/**
 * Queries a range service with the protocol of Have I Been Pwned, which sends only five hex digits
 * of a SHA-1. If the service does not answer, the password passes: signup must not depend on it.
 */
export function createBreachCheck(rangeUrl: string, log: Logger): BreachCheck {
  return async (password) => {
    const digest = createHash('sha1').update(password).digest('hex').toUpperCase()
    const [prefix, suffix] = [digest.slice(0, 5), digest.slice(5)]
    try {
      const response = await fetch(new URL(prefix, rangeUrl), {
        headers: { 'Add-Padding': 'true' },
        signal: AbortSignal.timeout(timeoutMs),
      })
      if (!response.ok) throw new Error(`status ${response.status}`)
      return isListed(await response.text(), suffix)
    } catch (err) {
      log.warn({ reason: reasonOf(err) }, 'password.breach_check.failed')
      return false
    }
  }
}

/** Lines are `SUFFIX:count`; a count of 0 is padding. */
function isListed(lines: string, suffix: string): boolean {
  return lines.split('\n').some((line) => {
    const [listed, count] = line.trim().split(':')
    return listed === suffix && Number(count) > 0
  })
}
