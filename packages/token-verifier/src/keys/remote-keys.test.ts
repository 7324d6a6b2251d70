import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { invalid, newPair, type Pair, TestIssuer, unavailable } from '../../test/test-issuer.ts'

let first: Pair
let second: Pair
let issuer: TestIssuer

beforeAll(async () => {
  first = await newPair('first')
  second = await newPair('second')
})
beforeEach(() => {
  issuer = new TestIssuer(first)
})

/** Resolves after the requests under way have their answers. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))
const never = () => new Promise<Response>(() => {})

describe('known keys', () => {
  const options = { refreshAfterMs: 60_000, maxAgeMs: 300_000, maxStaleMs: 3_600_000 }

  it('are renewed in the background, without waiting for an issuer that hangs', async () => {
    const verifier = issuer.verifier({ ...options, timeoutMs: 60_000 })
    await verifier.verify(await issuer.token())
    issuer.answer = never
    for (const minutes of [1, 2, 3, 4]) {
      issuer.nowMs += 60_000
      await verifier.verify(await issuer.token({ jti: `new ${minutes}` }))
    }
    expect(issuer.asked).toBe(2)
  })

  it('delay no request while the issuer is silent, and stay valid up to their limit', async () => {
    const verifier = issuer.verifier(options)
    const token = await issuer.token({ exp: issuer.nowMs })
    await verifier.verify(token)
    issuer.answer = () => Promise.reject(new Error('silent'))
    let asked = 0
    for (let minutes = 1; minutes < 60; minutes++) {
      issuer.nowMs += 60_000
      issuer.answer = async () => {
        asked++
        throw new Error('silent')
      }
      await verifier.verify(token)
      await settled()
    }
    expect(asked).toBe(59)
    const silence = Promise.withResolvers<Response>()
    issuer.answer = () => silence.promise
    issuer.nowMs += 30_000
    await verifier.verify(token)
    silence.reject(new Error('silent'))
    await settled()
    issuer.nowMs += 30_000
    await expect(verifier.verify(token)).rejects.toMatchObject(unavailable)
  })

  it.each([
    ['in use all the time', 30_000, 60_000],
    ['not used for long', 300_000, 0],
  ])('are invalid soon after their withdrawal: %s', async (_, everyMs, goneWithinMs) => {
    const verifier = issuer.verifier(options)
    const token = await issuer.token({ exp: issuer.nowMs })
    await verifier.verify(token)
    issuer.keys = [second.jwk]
    let last: unknown = 'good'
    // The request that starts the refresh may still pass. The one after it must not.
    for (let ageMs = everyMs; ageMs <= goneWithinMs + everyMs; ageMs += everyMs) {
      issuer.nowMs += everyMs
      last = await verifier.verify(token).then(
        () => 'good',
        (err: unknown) => err,
      )
      await settled()
    }
    expect(last).toMatchObject(invalid)
  })

  it('invalidate cached tokens when they are withdrawn, even if the id is reused', async () => {
    const verifier = issuer.verifier(options)
    const token = await issuer.token()
    await verifier.verify(token)
    issuer.keys = [{ ...second.jwk, kid: 'first' }]
    issuer.nowMs += 300_000
    await expect(verifier.verify(token)).rejects.toMatchObject(invalid)
    const impostor = { ...second, jwk: { ...second.jwk, kid: 'first' } }
    await verifier.verify(await issuer.token({}, impostor))
  })

  it('verify tokens while an unknown key is being requested', async () => {
    const verifier = issuer.verifier({ ...options, timeoutMs: 60_000 })
    const token = await issuer.token({ jti: 'another' })
    await verifier.verify(await issuer.token())
    issuer.answer = never
    issuer.nowMs += 10_000
    const waiting = verifier.verify(await issuer.token({}, second))
    await verifier.verify(token)
    expect(await Promise.race([waiting, Promise.resolve('waits')])).toBe('waits')
  })

  it('are renewed even within the cooldown', async () => {
    const verifier = issuer.verifier({ ...options, cooldownMs: 86_400_000 })
    const token = await issuer.token()
    await verifier.verify(token)
    issuer.keys = []
    issuer.nowMs += 300_000
    await expect(verifier.verify(token)).rejects.toMatchObject(invalid)
  })
})

describe('an unknown key', () => {
  it('is reported as unavailable when the issuer is silent, and requested once per cooldown', async () => {
    issuer.answer = never
    const verifier = issuer.verifier({ timeoutMs: 20 })
    for (let times = 0; times < 3; times++) {
      await expect(verifier.verify(await issuer.token())).rejects.toMatchObject(unavailable)
    }
    expect(issuer.asked).toBe(1)
  })
})

describe('a key set', () => {
  const endless = () =>
    new ReadableStream({
      pull: (controller) => controller.enqueue(new TextEncoder().encode(' '.repeat(65_536))),
    })

  it.each<[string, () => Response]>([
    ['is no JSON', () => new Response('<html>')],
    ['is null', () => Response.json(null)],
    ['is empty text', () => new Response('')],
    ['has no keys', () => Response.json({})],
    ['has keys that are no list', () => Response.json({ keys: { first: first.jwk } })],
    ['never ends', () => new Response(endless())],
    ['has far too many keys', () => Response.json({ keys: Array(1_000).fill(first.jwk) })],
  ])('that %s is reported as unavailable, and removes no key', async (_, answer) => {
    issuer.answer = async () => answer()
    const token = await issuer.token()
    await expect(issuer.verifier().verify(token)).rejects.toMatchObject(unavailable)
    issuer.answer = async () => Response.json({ keys: issuer.keys })
    const verifier = issuer.verifier()
    await verifier.verify(token)
    issuer.answer = async () => answer()
    issuer.nowMs += 300_000
    await verifier.verify(token)
  })

  it.each<[string, (jwk: Pair['jwk']) => unknown]>([
    ['null', () => null],
    ['text', () => 'key'],
    ['symmetric', ({ kid, use }) => ({ kty: 'oct', kid, use, alg: 'HS256', k: 'c2VjcmV0' })],
    ['for encryption', (jwk) => ({ ...jwk, use: 'enc', alg: 'RSA-OAEP-256' })],
    ['of another algorithm', (jwk) => ({ ...jwk, alg: 'PS256' })],
    ['without algorithm', (jwk) => ({ ...jwk, alg: undefined })],
    ['without use', (jwk) => ({ ...jwk, use: undefined })],
    ['without name', (jwk) => ({ ...jwk, kid: undefined })],
    ['of a name that is no text', (jwk) => ({ ...jwk, kid: ['first'] })],
    ['without modulus', (jwk) => ({ ...jwk, n: undefined })],
    ['of a modulus that is a number', (jwk) => ({ ...jwk, n: 5 })],
    ['too short', (jwk) => ({ ...jwk, n: (jwk.n ?? '').slice(0, 100) })],
    ['endless', (jwk) => ({ ...jwk, n: 'A'.repeat(100_000) })],
  ])('skips a key that is %s, and uses the others', async (_, change) => {
    issuer.keys = [change(first.jwk), second.jwk]
    const verifier = issuer.verifier()
    await verifier.verify(await issuer.token({}, second))
    await expect(verifier.verify(await issuer.token())).rejects.toMatchObject(invalid)
  })

  it('ignores an id that two keys share', async () => {
    issuer.keys = [first.jwk, { ...second.jwk, kid: 'first' }, second.jwk, second.jwk]
    const verifier = issuer.verifier()
    await expect(verifier.verify(await issuer.token())).rejects.toMatchObject(invalid)
    await verifier.verify(await issuer.token({}, second))
  })

  it('bypasses HTTP caches and follows no redirect', async () => {
    const sent: (RequestInit | undefined)[] = []
    const asking: typeof fetch = async (_, init) => {
      sent.push(init)
      return Response.json({ keys: issuer.keys })
    }
    await issuer.verifier({ fetch: asking }).verify(await issuer.token())
    expect(sent[0]).toMatchObject({ redirect: 'error', headers: { 'cache-control': 'no-cache' } })
  })
})
