import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import {
  audience,
  encryptedToken,
  expired,
  invalid,
  issuerUrl,
  newPair,
  type Pair,
  TestIssuer,
  unavailable,
} from '../../test/test-issuer.ts'
import { createVerifierPool } from '../jws/verifier-pool.ts'
import { invalidToken, TokenError, VerifierUnavailableError } from '../token-error.ts'
import { TokenMemory } from '../token-memory.ts'
import type { TokenVerifier } from '../token-verifier.ts'
import { FailedTokens } from './failed-tokens.ts'

let pair: Pair
let issuer: TestIssuer
let token: string
let asked: string[]
let answer: (token: string) => Promise<unknown>

beforeAll(async () => {
  pair = await newPair('first')
  token = await encryptedToken()
})
beforeEach(() => {
  issuer = new TestIssuer(pair)
  asked = []
  answer = async () => ({ active: true, ...issuer.claims() })
})

const introspect = (given: string) => {
  asked.push(given)
  return answer(given)
}
const policy = { refreshAfterMs: 60_000, maxAgeMs: 300_000, maxStaleMs: 600_000 }
const verifierWith = (options = {}) => issuer.verifier({ introspect, ...policy, ...options })
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))
const never = () => new Promise<never>(() => {})
/** One character of the ciphertext is another. */
const variant = (index: number) => {
  const parts = token.split('.')
  parts[3] = Buffer.from(`text ${String(index).padStart(6, '0')}`).toString('base64url')
  return parts.join('.')
}

describe('the issuer is asked about an encrypted token', () => {
  it('once for all who come at the same time', async () => {
    const verifier = verifierWith()
    await Promise.all(Array.from({ length: 50 }, () => verifier.verify(token)))
    expect(asked).toEqual([token])
  })

  it('not at all when it cannot be one of its own', async () => {
    const verifier = verifierWith()
    const headers = [
      { alg: 'RSA-OAEP' },
      { alg: 'dir' },
      { enc: 'A128GCM' },
      { enc: 'A256CBC-HS512' },
      { cty: undefined },
      { kid: undefined },
      { kid: '' },
      { kid: 'x'.repeat(257) },
      { kid: { toString: 'enc' } },
    ]
    const [header = '', ...rest] = token.split('.')
    const original = JSON.parse(Buffer.from(header, 'base64url').toString())
    for (const change of headers) {
      const changed = Buffer.from(JSON.stringify({ ...original, ...change })).toString('base64url')
      const verifying = verifier.verify([changed, ...rest].join('.'))
      await expect(verifying).rejects.toMatchObject(invalid)
    }
    for (const bad of ['a.b.c.d.e', `${header}.YQ.YQ.YQ.YQ`, `${header}....`]) {
      await expect(verifier.verify(bad)).rejects.toMatchObject(invalid)
    }
    expect(asked).toEqual([])
  })

  it('not again for a while when it was refused', async () => {
    answer = () => Promise.reject(new TokenError('AUTH_TOKEN_EXPIRED', 'old'))
    const verifier = verifierWith()
    for (let times = 0; times < 5; times++) {
      await expect(verifier.verify(token)).rejects.toMatchObject(expired)
    }
    expect(asked).toHaveLength(1)
    issuer.nowMs += 5_000
    answer = async () => ({ active: true, ...issuer.claims() })
    await verifier.verify(token)
  })

  it('again at once when there was no answer', async () => {
    const verifier = verifierWith()
    answer = () => Promise.reject(new VerifierUnavailableError('away'))
    await expect(verifier.verify(token)).rejects.toMatchObject(unavailable)
    answer = async () => ({ active: true, ...issuer.claims() })
    await verifier.verify(token)
  })

  it('eight at a time, with a bounded number waiting for a bounded time', async () => {
    answer = never
    const verifier = verifierWith({ timeoutMs: 50 })
    const outcomes = await Promise.allSettled(
      Array.from({ length: 600 }, (_, index) => verifier.verify(variant(index))),
    )
    for (const { status, reason } of outcomes as PromiseRejectedResult[]) {
      expect([status, reason.name]).toEqual(['rejected', 'VerifierUnavailableError'])
    }
    expect(asked.length).toBeLessThanOrEqual(16)
    answer = async () => ({ active: true, ...issuer.claims() })
    const later = Array.from({ length: 100 }, (_, index) => verifier.verify(variant(index)))
    await Promise.all(later)
  })

  it('without good tokens being forgotten for those that are refused', async () => {
    const verifier = verifierWith()
    await verifier.verify(token)
    answer = () => Promise.reject(invalidToken('junk'))
    for (let index = 0; index < 10_100; index++) {
      await verifier.verify(variant(index)).catch(() => {})
    }
    asked = []
    await verifier.verify(token)
    expect(asked).toEqual([])
  })
})

describe('encrypted tokens of a client of which too many were not good', () => {
  const many = { name: 'TooManyTokensError' }
  const forge = async (verifier: TokenVerifier, client: string, count: number) => {
    const forged = Array.from({ length: count }, (_, n) => verifier.verify(variant(n), client))
    const outcomes = await Promise.allSettled(forged)
    return outcomes.map(({ reason }: { reason?: Error } & object) => reason?.name)
  }

  it('cost the issuer nothing until the minute is over; others and known tokens go on', async () => {
    const failed = new FailedTokens({ maxPerMinute: 20, now: () => issuer.nowMs })
    const verifier = verifierWith({ memory: new TokenMemory(1_000, failed) })
    await verifier.verify(token, 'forger')
    answer = () => Promise.reject(invalidToken('forged'))
    const outcomes = await forge(verifier, 'forger', 400)
    // Eight at a time are asked about: so many may be on their way when the limit is reached.
    expect(asked.length).toBeLessThanOrEqual(1 + 20 + 8)
    expect(outcomes.filter((name) => name === 'TooManyTokensError').length).toBeGreaterThan(370)
    asked = []
    await expect(verifier.verify(variant(1_000), 'forger')).rejects.toMatchObject(many)
    await verifier.verify(token, 'forger')
    expect(asked).toEqual([])
    answer = async () => ({ active: true, ...issuer.claims() })
    await verifier.verify(variant(1_001), 'other')
    await verifier.verify(variant(1_002))
    issuer.nowMs += 60_000
    await verifier.verify(variant(1_003), 'forger')
  })

  it('are not those that have expired, nor those that nobody could judge', async () => {
    const failed = new FailedTokens({ maxPerMinute: 1, now: () => issuer.nowMs })
    const verifier = verifierWith({ memory: new TokenMemory(1_000, failed) })
    answer = () => Promise.reject(new TokenError('AUTH_TOKEN_EXPIRED', 'old'))
    await forge(verifier, 'client', 20)
    answer = () => Promise.reject(new VerifierUnavailableError('away'))
    await expect(verifier.verify(variant(21), 'client')).rejects.toMatchObject(unavailable)
    answer = async () => ({ active: true, ...issuer.claims() })
    await verifier.verify(variant(22), 'client')
  })
})

describe('what the issuer said of an encrypted token', () => {
  it('is asked for again beside the requests, which do not wait for an issuer that hangs', async () => {
    const verifier = verifierWith({ timeoutMs: 3_600_000 })
    await verifier.verify(token)
    answer = never
    for (let minutes = 1; minutes < 5; minutes++) {
      issuer.nowMs += 60_000
      await verifier.verify(token)
    }
    expect(asked).toHaveLength(2)
  })

  it.each([
    ['in use', 60_000],
    ['not in use', 300_000],
  ])('counts no longer than a key may, once its key was withdrawn: %s', async (_, afterMs) => {
    const verifier = verifierWith()
    await verifier.verify(token)
    answer = () => Promise.reject(invalidToken('its key is gone'))
    issuer.nowMs += afterMs
    await verifier.verify(token).catch(() => {})
    await settled()
    await expect(verifier.verify(token)).rejects.toMatchObject(invalid)
    if (afterMs === policy.maxAgeMs) {
      const idle = verifierWith()
      answer = async () => ({ active: true, ...issuer.claims() })
      await idle.verify(token)
      answer = () => Promise.reject(invalidToken('its key is gone'))
      issuer.nowMs += afterMs
      await expect(idle.verify(token)).rejects.toMatchObject(invalid)
    }
  })

  it('counts on for as long as keys do when the issuer is away, and no longer', async () => {
    const verifier = verifierWith()
    await verifier.verify(token)
    answer = () => Promise.reject(new VerifierUnavailableError('away'))
    issuer.nowMs += 300_000
    await verifier.verify(token)
    issuer.nowMs += 299_999
    await verifier.verify(token)
    issuer.nowMs += 1
    await expect(verifier.verify(token)).rejects.toMatchObject(unavailable)
  })

  it('is worth nothing when it has no claims, or those of another tenant', async () => {
    const answers = [
      { active: true },
      null,
      'yes',
      { active: true, ...issuer.claims({ aud: 'x/y' }) },
    ]
    for (const given of answers) {
      answer = async () => given
      await expect(verifierWith().verify(token)).rejects.toMatchObject(invalid)
    }
  })
})

describe('a pool of verifiers', () => {
  it('forgets what it learnt under another key epoch, keys and tokens', async () => {
    const pool = createVerifierPool({
      optionsOf: () => ({
        jwksUrl: 'https://api.example/jwks',
        issuer: issuerUrl,
        audience,
        isRevoked: () => false,
        introspect,
        fetch: issuer.fetch,
        now: () => issuer.nowMs,
      }),
    })
    const shop = { projectId: 'shop', environment: 'master' }
    const signed = await issuer.token()
    const verifyBoth = async (keyEpoch: number) => {
      await pool.of(shop, keyEpoch).verify(signed)
      await pool.of(shop, keyEpoch).verify(token)
      return [issuer.asked, asked.length]
    }
    expect(await verifyBoth(0)).toEqual([1, 1])
    expect(await verifyBoth(0)).toEqual([1, 1])
    expect(await verifyBoth(1)).toEqual([2, 2])
    issuer.keys = []
    answer = async () => ({ active: false })
    await expect(pool.of(shop, 2).verify(signed)).rejects.toMatchObject(invalid)
    await expect(pool.of(shop, 2).verify(token)).rejects.toMatchObject(invalid)
  })
})
