import { WebhookError } from '../webhook-error.ts'
import type { SecretKeys } from './keys.ts'
import type { HeaderOf } from './standard-signature.ts'

const digest = /^[0-9a-f]{64}$/
const prefix = 'sha256='

/**
 * Verifies `X-Service-Signature` and `X-Webhook-Signature` with any of the keys. One of them must
 * be there, and each that is there must match. Throws a `WebhookError`.
 */
export async function verifyBodySignature(
  { header, bytes }: { header: HeaderOf; bytes: Uint8Array<ArrayBuffer> },
  keys: readonly SecretKeys[],
): Promise<void> {
  const service = header('x-service-signature')
  const webhook = header('x-webhook-signature')
  const given = [
    ...(service === null ? [] : [service.startsWith(prefix) ? service.slice(prefix.length) : '']),
    ...(webhook === null ? [] : [webhook]),
  ]
  if (given.length === 0) {
    const names = 'X-Service-Signature or X-Webhook-Signature'
    throw new WebhookError('missing_headers', `The request has no ${names}`)
  }
  const [first = ''] = given
  if (given.some((one) => one !== first) || !(await isValid(first, bytes, keys))) {
    throw new WebhookError('signature_mismatch', 'The signature of the body is not valid')
  }
}

async function isValid(
  hex: string,
  bytes: Uint8Array<ArrayBuffer>,
  keys: readonly SecretKeys[],
): Promise<boolean> {
  if (!digest.test(hex)) return false
  const signature = Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  for (const { body } of keys) {
    // Web Crypto compares in constant time.
    if (await crypto.subtle.verify('HMAC', await body, signature, bytes)) return true
  }
  return false
}
