import { createHmac } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { signedHeaders, signingKeys } from './signed-headers.ts'

const job = {
  body: Buffer.from('{"id":"1"}'),
  eventId: 'event-1',
  webhookId: 'msg_1',
  operation: 'UPDATE' as const,
}

describe('signedHeaders', () => {
  it('sends the headers of the contract, signed with the current secret', () => {
    const headers = signedHeaders(job, [signingKeys('s3cret')], 1_700_000_000)
    const hex = createHmac('sha256', 's3cret').update('{"id":"1"}').digest('hex')
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^Surehook\/\d+\.\d+\.\d+$/),
      'x-service-event': 'UPDATE',
      'x-service-delivery': 'event-1',
      'x-service-signature': `sha256=${hex}`,
      'x-webhook-signature': hex,
      'webhook-id': 'msg_1',
      'webhook-timestamp': '1700000000',
    })
  })

  it('agrees with the example of the Standard Webhooks specification', () => {
    const headers = signedHeaders(
      {
        ...job,
        webhookId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        body: Buffer.from('{"test": 2432232314}'),
      },
      [signingKeys('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')],
      1_614_265_330,
    )
    expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
  })

  it('signs with both secrets during a rotation, the X headers with the new one only', () => {
    const headers = signedHeaders(job, [signingKeys('new'), signingKeys('old')], 1)
    const [first, second] = (headers['webhook-signature'] ?? '').split(' ')
    expect(first).toBe(signedHeaders(job, [signingKeys('new')], 1)['webhook-signature'])
    expect(second).toBe(signedHeaders(job, [signingKeys('old')], 1)['webhook-signature'])
    expect(headers['x-webhook-signature']).toBe(
      signedHeaders(job, [signingKeys('new')], 1)['x-webhook-signature'],
    )
  })

  it.each(['whsec_not base64!', 'whsec_', 'whsec_A', 'whsec_A==', 'whsec_AAAAA', 'whsec_ab-_'])(
    'takes %s, which is not base64, as it is',
    (secret) => {
      const headers = signedHeaders(job, [signingKeys(secret)], 1)
      const expected = createHmac('sha256', secret).update('msg_1.1.{"id":"1"}').digest('base64')
      expect(headers['webhook-signature']).toBe(`v1,${expected}`)
    },
  )

  it.each(['whsec_QQ', 'whsec_QQ==', 'whsec_QUI', 'whsec_QUI=', 'whsec_QUJD'])(
    'decodes %s, with padding or without',
    (secret) => {
      const headers = signedHeaders(job, [signingKeys(secret)], 1)
      const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
      const expected = createHmac('sha256', key).update('msg_1.1.{"id":"1"}').digest('base64')
      expect(headers['webhook-signature']).toBe(`v1,${expected}`)
    },
  )

  it('refuses to sign with a secret that receivers cannot use', () => {
    expect(() => signedHeaders(job, [], 1)).toThrow('without a secret')
  })

  it('signs deterministically, and differently for every other body or secret', () => {
    const text = fc.string({ minLength: 1, unit: 'grapheme' })
    fc.assert(
      fc.property(text, text, text, text, (bodyA, bodyB, secretA, secretB) => {
        const sign = (body: string, secret: string) =>
          signedHeaders({ ...job, body: Buffer.from(body) }, [signingKeys(secret)], 1)[
            'x-webhook-signature'
          ]
        const same = bodyA === bodyB && secretA === secretB
        expect(sign(bodyA, secretA) === sign(bodyB, secretB)).toBe(same)
        expect(sign(bodyA, secretA)).toMatch(/^[0-9a-f]{64}$/)
      }),
    )
  })
})
