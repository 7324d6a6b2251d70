import {
  bareIssuer,
  type TrustedIssuer,
  type TrustedIssuerInput,
  trustedIssuer,
} from '@surehook/contracts/http/admin/trusted-issuers'
import type { RuledViolation } from '@surehook/contracts/problem'
import { invalid } from '@surehook/service-kit/errors'
import type { AddressGuard } from '@surehook/service-kit/outbound/address-guard'

export type IssuersDeps = { publicUrl: string; guard: Pick<AddressGuard, 'checkLiteral'> }

/** Applies a change. Throws a violation for each issuer that cannot be trusted. */
export function changeIssuers(
  deps: IssuersDeps,
  current: readonly TrustedIssuer[],
  change: readonly TrustedIssuerInput[] | null | undefined,
): readonly TrustedIssuer[] {
  if (change === undefined) return current
  const issuers = (change ?? []).map(trustedIssuer)
  const violations = issuers.flatMap(({ issuer }, index): RuledViolation[] => {
    const message = faultOf(issuer, deps)
    const field = `trustedIssuers.${index}.issuer`
    return message === null ? [] : [{ field, message, rule: 'invalid_value' }]
  })
  if (violations.length > 0) throw invalid(violations)
  return issuers
}

function faultOf(issuer: string, { publicUrl, guard }: IssuersDeps): string | null {
  // Otherwise tokens of another environment would be accepted, and logged-out ones too.
  const own = new URL(`${publicUrl}/auth/`).href
  if (`${bareIssuer(new URL(issuer).href)}/`.startsWith(own)) {
    return 'is this installation: its own tokens need no trust'
  }
  try {
    guard.checkLiteral(new URL(issuer).hostname)
    return null
  } catch {
    return 'must not be a private address'
  }
}
