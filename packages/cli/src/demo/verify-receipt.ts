import { createHmac, timingSafeEqual } from 'node:crypto'
import { Failure } from '../cli/command.ts'
import type { Receipt } from './demo-receiver.ts'

/**
 * Verifies the three signature headers as receivers should: over the raw bytes, with a comparison in
 * constant time. A changed body must not pass. Throws a `Failure` that names the header.
 */
export function verifyReceipt(receipt: Receipt, secret: string): void {
  const forged = { ...receipt, body: receipt.body.replace('"', '" ') }
  for (const [header, signatureOf] of Object.entries(signatures)) {
    const given = [receipt.headers[header] ?? ''].flat().join()
    if (!isSame(given, signatureOf(receipt, secret))) {
      throw new Failure(`the signature ${header} does not match the body`)
    }
    if (isSame(given, signatureOf(forged, secret))) {
      throw new Failure(`a changed body passes ${header}`)
    }
  }
}

type SignatureOf = (receipt: Receipt, secret: string) => string

/** `webhook-signature` is that of Standard Webhooks. Its key is the decoded secret. */
const signatures: Record<string, SignatureOf> = {
  'x-service-signature': ({ body }, secret) => `sha256=${hmac(secret, body).toString('hex')}`,
  'x-webhook-signature': ({ body }, secret) => hmac(secret, body).toString('hex'),
  'webhook-signature': ({ headers, body }, secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    const signed = [headers['webhook-id'], headers['webhook-timestamp'], body].join('.')
    return `v1,${hmac(key, signed).toString('base64')}`
  },
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
