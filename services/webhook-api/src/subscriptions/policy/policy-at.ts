import type { StoredPolicy } from './stored-policy.ts'

type Policy = StoredPolicy | null

/**
 * Returns the policy that stays when the subscription's URL becomes `url`. Own headers often hold
 * credentials for one receiver, so they do not go to another origin.
 */
export function policyAt(
  url: string,
  { url: before, policy }: { url: string; policy: Policy },
): Policy {
  if (policy?.headers === undefined || originOf(url) === originOf(before)) return policy
  const { headers: _, ...rest } = policy
  return Object.keys(rest).length === 0 ? null : rest
}

/** RFC 6454 §4, but a name with the dot of the DNS root is the same host as without it. */
function originOf(text: string): string {
  const { protocol, hostname, port } = new URL(text)
  return `${protocol}//${hostname.replace(/\.$/, '')}:${port}`
}
