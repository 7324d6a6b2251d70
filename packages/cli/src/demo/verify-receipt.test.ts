import { describe, expect, it } from '@jest/globals'
import { signedHeaders, signingKeys } from '@surehook/matching/signed-headers'
import { newSecret } from '../lib/new-secret.ts'
import { verifyReceipt } from './verify-receipt.ts'

const secret = newSecret()
const body = '{"id":"e1","record":{"n":1}}'
const webhook = { body: Buffer.from(body), eventId: 'e1', webhookId: 'w1', operation: 'INSERT' }

const receiptOf = (signedWith: string) => {
  const headers = signedHeaders(webhook as never, [signingKeys(signedWith)], 1_800_000_000)
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  return { at: 0, headers: Object.fromEntries(lower) as Record<string, string>, body }
}

describe('verifyReceipt', () => {
  it('accepts what the dispatcher signs', () => {
    expect(() => verifyReceipt(receiptOf(secret), secret)).not.toThrow()
  })

  it.each(['x-service-signature', 'x-webhook-signature', 'webhook-signature'])(
    'refuses a receipt whose %s is missing or of another secret',
    (header) => {
      const { [header]: _, ...headers } = receiptOf(secret).headers
      expect(() => verifyReceipt({ at: 0, headers, body }, secret)).toThrow(header)
      const other = receiptOf(`${secret}A`).headers[header] ?? ''
      const forged = { at: 0, headers: { ...headers, [header]: other }, body }
      expect(() => verifyReceipt(forged, secret)).toThrow(header)
    },
  )

  it('refuses another body', () => {
    const receipt = { ...receiptOf(secret), body: body.replace('1', '2') }
    expect(() => verifyReceipt(receipt, secret)).toThrow('does not match')
  })
})
