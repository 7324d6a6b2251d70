import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { createRequire } from 'node:module'
import type { ChangeOperation } from '@surehook/contracts/events'

export type Signable = {
  body: Buffer
  eventId: string
  webhookId: string
  operation: ChangeOperation
}

/** All packages share one version. */
const { version } = createRequire(import.meta.url)('../package.json') as { version: string }
/** RFC 9110 §10.1.5. Operators of receivers use it to find deliveries and to allow them. */
const userAgent = `Surehook/${version}`

/** The headers of one attempt that need no secret. */
export function plainHeaders(
  { eventId, webhookId, operation }: Omit<Signable, 'body'>,
  timestampS: number,
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': userAgent,
    'x-service-event': operation,
    'x-service-delivery': eventId,
    'webhook-id': webhookId,
    'webhook-timestamp': String(timestampS),
  }
}

/**
 * Keys of one secret for the two schemes. Built once, because importing a key costs more than a
 * signature.
 */
export type SigningKeys = { readonly plain: KeyObject; readonly standard: KeyObject }

export function signingKeys(secret: string): SigningKeys {
  return {
    plain: createSecretKey(secret, 'utf8'),
    standard: createSecretKey(standardKey(secret)),
  }
}

/**
 * Builds the headers of one attempt. `X-*-Signature` signs the body with the UTF-8 bytes of the
 * current secret. `webhook-*` follows Standard Webhooks 1.0.0 ("Signature scheme"): every valid
 * secret signs `id.timestamp.body`.
 * @param secrets the valid secrets, the current one first
 * @param timestampS Unix time of the attempt in seconds
 */
export function signedHeaders(
  signable: Signable,
  secrets: readonly SigningKeys[],
  timestampS: number,
): Record<string, string> {
  const [current] = secrets
  if (current === undefined) throw new Error('a delivery cannot be signed without a secret')
  const { body, webhookId } = signable
  const digest = createHmac('sha256', current.plain).update(body).digest('hex')
  const signedPrefix = `${webhookId}.${timestampS}.`
  const signatures = secrets.map(({ standard }) => {
    const hmac = createHmac('sha256', standard).update(signedPrefix).update(body)
    return `v1,${hmac.digest('base64')}`
  })
  return {
    ...plainHeaders(signable, timestampS),
    'x-service-signature': `sha256=${digest}`,
    'x-webhook-signature': digest,
    'webhook-signature': signatures.join(' '),
  }
}

/** Base64 with or without padding, of at least one byte: anyone could sign with an empty key. */
const base64 = /^(?=.)(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/

const prefix = 'whsec_'

/** True if the secret has the `whsec_` prefix but no valid base64 after it. */
export const isMalformedSecret = (secret: string): boolean =>
  secret.startsWith(prefix) && !base64.test(secret.slice(prefix.length))

/**
 * A `whsec_` secret is the base64 of the key. Any other secret, and a malformed one, is the key
 * itself.
 */
function standardKey(secret: string): Buffer {
  const isEncoded = secret.startsWith(prefix) && !isMalformedSecret(secret)
  return isEncoded
    ? Buffer.from(secret.slice(prefix.length), 'base64')
    : Buffer.from(secret, 'utf8')
}
