import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Receipt } from './receiver.ts'

/** As a receiver does it: HMAC-SHA256 of the body under the secret, compared in constant time. */
export function verifySignature({ headers, body }: Receipt, secret: string): boolean {
  const digest = createHmac('sha256', secret).update(body).digest('hex')
  return (
    same(headers['x-service-signature'] ?? '', `sha256=${digest}`) &&
    same(headers['x-webhook-signature'] ?? '', digest)
  )
}

function same(given: string, expected: string): boolean {
  const a = Buffer.from(given)
  const b = Buffer.from(expected)
  return a.length === b.length && timingSafeEqual(a, b)
}
