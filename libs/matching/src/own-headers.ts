/** The subscriber's own headers, by name. */
export type OwnHeaders = Readonly<Record<string, string>>

type Sealer = { seal(plaintext: string, context: string): string }
type Opener = { open(sealed: string, context: string): string }

/**
 * The context of the ciphertext. A signing secret is bound to the id alone, so neither can be
 * opened as the other.
 */
export const headersContext = (subscriptionId: string): string => `${subscriptionId}/headers`

export function sealHeaders(box: Sealer, subscriptionId: string, headers: OwnHeaders): string {
  return box.seal(JSON.stringify(headers), headersContext(subscriptionId))
}

/** Throws if it was encrypted under another key. */
export function openHeaders(box: Opener, subscriptionId: string, ciphertext: string): OwnHeaders {
  return JSON.parse(box.open(ciphertext, headersContext(subscriptionId))) as OwnHeaders
}

/** RFC 9110 §11.4: a scheme, then the credentials. */
const credentials = /^[A-Za-z][\w-]* +(\S+)$/

/** Returns the part of the value that is secret: credentials without their scheme. */
export const secretPart = (value: string): string => credentials.exec(value)?.[1] ?? value

/** Returns the names, sorted without regard to case. */
export function headerNames(headers: OwnHeaders): string[] {
  const lower = (name: string) => name.toLowerCase()
  return Object.keys(headers).toSorted((a, b) => (lower(a) < lower(b) ? -1 : 1))
}
