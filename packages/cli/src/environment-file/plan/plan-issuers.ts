import { isDeepStrictEqual } from 'node:util'
import type { TrustedIssuer } from '@surehook/contracts/http/admin/trusted-issuers'
import type { Wishes } from '../file/wishes.ts'
import { emptyPart, type Part } from './part.ts'
import type { Change, State } from './steps.ts'

/** The order of issuers does not matter. */
export function planIssuers(
  { trustedIssuers: wanted }: Wishes,
  // An older auth-service has none.
  { trustedIssuers: found = [] }: State,
): Part {
  const part = emptyPart()
  if (wanted === undefined) return part
  const names = new Set([...found, ...wanted].map(({ issuer }) => issuer))
  const changes = [...names].flatMap((name): Change[] => {
    const [before, after] = [settingsOf(found, name), settingsOf(wanted, name)]
    return isDeepStrictEqual(before, after) ? [] : [{ field: name, before, after }]
  })
  if (changes.length === 0) return part
  const input = wanted.map((one) => ({ ...one }))
  const step = { kind: 'trustedIssuers', action: 'update', name: 'settings' } as const
  part.steps.push({ ...step, changes, input })
  return part
}

function settingsOf(issuers: readonly TrustedIssuer[], name: string) {
  const { issuer, ...settings } = issuers.find((one) => one.issuer === name) ?? {}
  return issuer === undefined ? null : settings
}
