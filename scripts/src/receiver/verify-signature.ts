import { createHmac, timingSafeEqual } from 'node:crypto'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import type { Receipt } from './receiver.ts'

type SignedRequest = Pick<Receipt, 'headers' | 'body'>

/** Verifies like a receiver: HMAC-SHA256 of the body with the secret, compared in constant time. */
export function verifySignature({ headers, body }: SignedRequest, secret: string): boolean {
  const digest = createHmac('sha256', secret).update(body).digest('hex')
  return (
    same(headers['x-service-signature'] ?? '', `sha256=${digest}`) &&
    same(headers['x-webhook-signature'] ?? '', digest)
  )
}

/** Verifies with the library of standardwebhooks.com, which also checks the timestamp. */
export function verifyStandardWebhook({ headers, body }: SignedRequest, secret: string): boolean {
  const webhook = secret.startsWith('whsec_')
    ? new Webhook(secret)
    : new Webhook(Buffer.from(secret, 'utf8'), { format: 'raw' })
  try {
    webhook.verify(body, headers)
    return true
  } catch (err) {
    if (err instanceof WebhookVerificationError) return false
    throw err
  }
}

function same(given: string, expected: string): boolean {
  const a = Buffer.from(given)
  const b = Buffer.from(expected)
  return a.length === b.length && timingSafeEqual(a, b)
}
