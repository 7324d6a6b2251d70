import { inspect } from 'node:util'
import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import {
  encodedSecret,
  payload,
  type SignedRequest,
  secret,
  signedRequest,
} from '../../test/signed-request.ts'
import { createVerifier, type VerifyOptions } from './verify-delivery.ts'

const modes = ['standard', 'body', 'both'] as const

const verify = (request: SignedRequest, options: Partial<VerifyOptions> = {}) =>
  createVerifier({ secrets: secret, ...options })(request)

const having = ({ headers, body }: SignedRequest, change: Record<string, string | undefined>) => ({
  headers: { ...headers, ...change } as Record<string, string>,
  body,
})

describe('createVerifier', () => {
  it('returns what the dispatcher signed', async () => {
    const request = signedRequest()
    const { attemptedAt, ...delivery } = await verify(request)
    expect(delivery).toEqual({
      id: 'msg_1',
      body: JSON.stringify(payload),
      event: {
        id: 'event-1',
        timestamp: '2026-01-02T03:04:05.678Z',
        projectId: 'shop',
        environment: 'master',
        table: 'orders',
        operation: 'UPDATE',
        record: { id: '1', note: 'ä 😀' },
        changedFields: ['note'],
      },
    })
    expect(String((attemptedAt?.getTime() ?? 0) / 1000)).toBe(request.headers['webhook-timestamp'])
  })

  it.each(modes)('agrees with the dispatcher about every secret (%s)', async (signatures) => {
    const secrets = fc.oneof(
      fc.string({ minLength: 1, unit: 'binary' }).filter((text) => text.isWellFormed()),
      fc
        .string({ unit: fc.constantFrom(...Array.from('AZaz09+/=-_ ')) })
        .map((text) => `whsec_${text}`),
      fc.uint8Array({ minLength: 1 }).map((b) => `whsec_${Buffer.from(b).toString('base64')}`),
      fc
        .uint8Array({ minLength: 1 })
        .map((b) => `whsec_${Buffer.from(b).toString('base64').replace(/=+$/, '')}`),
    )
    await fc.assert(
      fc.asyncProperty(secrets, async (one) => {
        const request = signedRequest({ secrets: [one] })
        await expect(verify(request, { secrets: one, signatures })).resolves.toBeDefined()
        const refused = verify(request, { secrets: `${one}x`, signatures })
        await expect(refused).rejects.toMatchObject({ code: 'signature_mismatch', status: 401 })
      }),
    )
  })

  it.each(modes)('accepts both secrets during a rotation (%s)', async (signatures) => {
    const secrets = [secret, encodedSecret]
    const requests = [[secret], [encodedSecret], [encodedSecret, secret], [secret, 'third']]
    for (const signedWith of requests) {
      const request = signedRequest({ secrets: signedWith })
      await expect(verify(request, { secrets, signatures })).resolves.toBeDefined()
    }
    const foreign = verify(signedRequest({ secrets: ['third'] }), { secrets, signatures })
    await expect(foreign).rejects.toMatchObject({ code: 'signature_mismatch' })
  })

  it.each(modes)('refuses a body of which one bit changed (%s)', async (signatures) => {
    const { headers, body } = signedRequest()
    await fc.assert(
      fc.asyncProperty(fc.nat(body.length - 1), fc.nat(7), async (at, bit) => {
        const changed = Buffer.from(body)
        changed[at] = (changed[at] ?? 0) ^ (1 << bit)
        await expect(verify({ headers, body: changed }, { signatures })).rejects.toMatchObject({
          name: 'WebhookError',
          code: expect.stringMatching(/signature_mismatch|invalid_body/),
        })
      }),
    )
  })

  it('requires what standard signatures cover', async () => {
    const request = signedRequest()
    const time = Number(request.headers['webhook-timestamp'])
    const cases = {
      'webhook-id': { value: 'msg_2', missing: 'missing_headers' },
      'webhook-timestamp': { value: String(time + 1), missing: 'missing_headers' },
      'webhook-signature': { value: 'v1,AAAA v2,', missing: 'missing_headers' },
    }
    for (const [name, { value, missing }] of Object.entries(cases)) {
      const code = (change: Record<string, string | undefined>) =>
        verify(having(request, change)).catch((err: { code: string }) => err.code)
      expect([name, await code({ [name]: value })]).toEqual([name, 'signature_mismatch'])
      expect([name, await code({ [name]: undefined })]).toEqual([name, missing])
      expect([name, await code({ [name]: '' })]).toEqual([name, missing])
    }
    for (const spelled of [`${time}.0`, ` ${time}`, `0${time}`, `${time}abc`, '1e9', 'NaN']) {
      await expect(verify(having(request, { 'webhook-timestamp': spelled }))).rejects.toMatchObject(
        { code: 'invalid_timestamp' },
      )
    }
  })

  it('refuses a part of a signature, and one with an end of its own', async () => {
    const request = signedRequest()
    const signature = request.headers['webhook-signature'] ?? ''
    for (const other of [signature.slice(0, -1), `${signature}x`, signature.slice(3), 'v1,']) {
      await expect(verify(having(request, { 'webhook-signature': other }))).rejects.toMatchObject({
        code: 'signature_mismatch',
      })
    }
  })

  it('refuses bytes that would be read as the signed text', async () => {
    const { headers, body } = signedRequest({
      body: JSON.stringify({ ...payload, note: '\ufffd' }),
    })
    const at = body.indexOf(Buffer.from('\ufffd'))
    const invalid = Buffer.concat([body.subarray(0, at), Buffer.of(0xff), body.subarray(at + 3)])
    await expect(verify({ headers, body })).resolves.toBeDefined()
    await expect(verify({ headers, body: invalid })).rejects.toMatchObject({ code: 'invalid_body' })
  })

  it('refuses attempts outside of the tolerance', async () => {
    const code = (ageS: number, options = {}) =>
      verify(signedRequest({ ageS }), options).then(
        () => 'accepted',
        (err: { code: string }) => err.code,
      )
    expect(await code(290)).toBe('accepted')
    expect(await code(-290)).toBe('accepted')
    expect(await code(310)).toBe('timestamp_too_old')
    expect(await code(-310)).toBe('timestamp_too_new')
    expect(await code(31, { toleranceS: 30 })).toBe('timestamp_too_old')
    expect(await code(3_000, { toleranceS: 3_600 })).toBe('accepted')
    expect(await code(3_000, { signatures: 'body' })).toBe('accepted')
    expect(await code(310, { signatures: 'both' })).toBe('timestamp_too_old')
  })

  it('requires X-*-Signature in the modes that name it', async () => {
    const request = signedRequest()
    const code = (change: Record<string, string | undefined>, signatures: (typeof modes)[number]) =>
      verify(having(request, change), { signatures }).then(
        () => 'accepted',
        (err: { code: string }) => err.code,
      )
    const hex = request.headers['x-webhook-signature'] ?? ''
    const none = { 'x-service-signature': undefined, 'x-webhook-signature': undefined }
    for (const mode of ['body', 'both'] as const) {
      expect(await code(none, mode)).toBe('missing_headers')
      expect(await code({ 'x-webhook-signature': undefined }, mode)).toBe('accepted')
      expect(await code({ 'x-service-signature': undefined }, mode)).toBe('accepted')
      for (const wrong of ['', hex, 'sha256=', `sha256=${hex.toUpperCase()}`, `sha256=${hex}0`]) {
        expect(await code({ 'x-service-signature': wrong }, mode)).toBe('signature_mismatch')
      }
      for (const wrong of ['', `sha256=${hex}`, 'f'.repeat(64)]) {
        expect(await code({ 'x-webhook-signature': wrong }, mode)).toBe('signature_mismatch')
      }
    }
    expect(await code(none, 'standard')).toBe('accepted')
    expect(await code({ 'webhook-signature': undefined }, 'body')).toBe('accepted')
    expect(await code({ 'webhook-signature': undefined }, 'both')).toBe('missing_headers')
  })

  it('takes the signed id of the event where webhook-id is not signed', async () => {
    const forged = having(signedRequest(), { 'webhook-id': 'forged' })
    const delivery = await verify(forged, { signatures: 'body' })
    expect(delivery).toMatchObject({ id: 'event-1', attemptedAt: null })
  })

  it.each([
    ['not JSON', 'x'],
    ['no object', '[]'],
    ['null', 'null'],
    ['an unknown operation', JSON.stringify({ ...payload, event: 'UPSERT' })],
    ['no record', JSON.stringify({ ...payload, record: null })],
    ['no table', JSON.stringify({ ...payload, table: undefined })],
    ['a wrong list', JSON.stringify({ ...payload, changed_fields: [1] })],
    ['bytes that are no UTF-8', Buffer.from([0xff, 0xfe])],
  ])('refuses a signed body with %s', async (_name, body) => {
    await expect(verify(signedRequest({ body }), { signatures: 'body' })).rejects.toMatchObject({
      code: 'invalid_body',
      status: 400,
    })
  })

  it('names no secret in what it throws', async () => {
    const refused = await verify(signedRequest({ secrets: ['other'] })).catch(inspect)
    expect(refused).toContain('signature_mismatch')
    expect(refused).not.toContain(secret)
  })

  it('refuses to be made without a secret', () => {
    for (const secrets of [[], '', [''], undefined as never]) {
      expect(() => createVerifier({ secrets })).toThrow(TypeError)
    }
    expect(() => createVerifier({ secrets: secret, toleranceS: Number.NaN })).toThrow(TypeError)
  })
})
