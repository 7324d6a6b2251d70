/** Headers of the subscriber's own, by name. */
export type OwnHeaders = Readonly<Record<string, string>>

type Sealer = { seal(plaintext: string, context: string): string }
type Opener = { open(sealed: string, context: string): string }

/** What the ciphertext is bound to. A signing secret is bound to the id alone: neither opens as the other. */
export const headersContext = (subscriptionId: string): string => `${subscriptionId}/headers`

export function sealHeaders(box: Sealer, subscriptionId: string, headers: OwnHeaders): string {
  return box.seal(JSON.stringify(headers), headersContext(subscriptionId))
}

/** Throws when it was sealed under another key. */
export function openHeaders(box: Opener, subscriptionId: string, ciphertext: string): OwnHeaders {
  return JSON.parse(box.open(ciphertext, headersContext(subscriptionId))) as OwnHeaders
}

/** Sorted; case does not matter in the name of a header. */
export function headerNames(headers: OwnHeaders): string[] {
  const lower = (name: string) => name.toLowerCase()
  return Object.keys(headers).toSorted((a, b) => (lower(a) < lower(b) ? -1 : 1))
}
