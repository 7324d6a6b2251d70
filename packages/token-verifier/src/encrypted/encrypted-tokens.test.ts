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
import { FailedTokens } from '../failed-tokens.ts'
import { invalidToken, TokenError, VerifierUnavailableError } from '../token-error.ts'
import { TokenMemory } from '../token-memory.ts'
import type { TokenVerifier } from '../token-verifier.ts'
import { createVerifierPool } from '../verifier-pool.ts'

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
/** The token with a changed ciphertext. */
const variant = (index: number) => {
  const parts = token.split('.')
  parts[3] = Buffer.from(`text ${String(index).padStart(6, '0')}`).toString('base64url')
  return parts.join('.')
}

describe('requests to the issuer about encrypted tokens', () => {
  it('are shared by concurrent callers', async () => {
    const verifier = verifierWith()
    await Promise.all(Array.from({ length: 50 }, () => verifier.verify(token)))
    expect(asked).toEqual([token])
  })

  it('are not made for a token that the issuer cannot have made', async () => {
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

  it('are not repeated for 5 s after a refusal', async () => {
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

  it('are repeated at once after no answer', async () => {
    const verifier = verifierWith()
    answer = () => Promise.reject(new VerifierUnavailableError('away'))
    await expect(verifier.verify(token)).rejects.toMatchObject(unavailable)
    answer = async () => ({ active: true, ...issuer.claims() })
    await verifier.verify(token)
  })

  it('run eight at a time, with a bounded queue and waiting time', async () => {
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

  it('do not evict valid tokens in favour of refused ones', async () => {
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

describe('a client with too many invalid encrypted tokens', () => {
  const many = { name: 'TooManyTokensError' }
  const forge = async (verifier: TokenVerifier, client: string, count: number) => {
    const forged = Array.from({ length: count }, (_, n) => verifier.verify(variant(n), client))
    const outcomes = await Promise.allSettled(forged)
    return outcomes.map(({ reason }: { reason?: Error } & object) => reason?.name)
  }

  it('causes no requests until the minute is over, while other clients and known tokens pass', async () => {
    const failed = new FailedTokens({ maxPerMinute: 20, now: () => issuer.nowMs })
    const verifier = verifierWith({ memory: new TokenMemory(1_000, failed) })
    await verifier.verify(token, 'forger')
    answer = () => Promise.reject(invalidToken('forged'))
    const outcomes = await forge(verifier, 'forger', 400)
    // Eight requests run at a time, so up to eight may be under way when the limit is reached.
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

  it('is not charged for expired tokens or for unanswered requests', async () => {
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

describe("the issuer's answer about an encrypted token", () => {
  it('is renewed in the background, without waiting for an issuer that hangs', async () => {
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
  ])('is valid no longer than a withdrawn key: %s', async (_, afterMs) => {
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

  it('stays valid as long as keys do while the issuer is unreachable, and no longer', async () => {
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

  it('is refused without claims or with those of another tenant', async () => {
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
  it('drops keys and tokens of another key epoch', async () => {
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
