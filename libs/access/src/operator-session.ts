import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { AppError } from '@surehook/service-kit/errors'

/**
 * The session of the operator that a one-time code opens. It only reads, and it ends after an hour:
 * whoever gets hold of the code or the session gets no more. It needs no store, because it carries
 * proofs of the administration token. The session ends when that token is replaced.
 *
 * One proof is for services that know the token, and one for services that know its digest. So a
 * stolen digest makes no session that the others accept.
 */
export type SessionVerifier = { readonly proof: 1 | 2; readonly keys: readonly Buffer[] }

export const sessionLifetimeMs = 3_600_000

const form = /^Bearer +os_((\d{10})\.[\w-]{22})\.([\w-]{43})\.([\w-]{43}) *$/i

export function newOperatorSession(adminToken: string, digest: Buffer, now: number): string {
  const expiresAt = Math.floor((now + sessionLifetimeMs) / 1000)
  const session = `${expiresAt}.${randomBytes(16).toString('base64url')}`
  const proofs = [tokenKey(adminToken), digestKey(digest)].map((key) =>
    proofOf(session, key).toString('base64url'),
  )
  return `os_${[session, ...proofs].join('.')}`
}

/** For a service that knows the administration tokens. */
export const verifierOfTokens = (adminTokens: readonly string[]): SessionVerifier => ({
  proof: 1,
  keys: adminTokens.map(tokenKey),
})

/** For a service that knows the digests of the administration tokens. */
export const verifierOfDigests = (digests: readonly Buffer[]): SessionVerifier => ({
  proof: 2,
  keys: digests.map(digestKey),
})

export type ShownRequest = {
  readonly method?: string | undefined
  readonly headers: { readonly authorization?: string | undefined }
}

/**
 * Returns whether the request carries a session that has not ended. Throws FORBIDDEN if it does more
 * than read.
 */
export function admitsSession({ proof, keys }: SessionVerifier, req: ShownRequest): boolean {
  const [, session = '', expiresAt, ...proofs] = form.exec(req.headers.authorization ?? '') ?? []
  const shown = Buffer.from(proofs[proof - 1] ?? '', 'base64url')
  const proving = keys.filter((key) => {
    const expected = proofOf(session, key)
    return shown.length === expected.length && timingSafeEqual(shown, expected)
  })
  if (proving.length === 0 || Number(expiresAt) * 1000 <= Date.now()) return false
  if (req.method === 'GET' || req.method === 'HEAD') return true
  throw new AppError('FORBIDDEN', readsOnly)
}

const readsOnly =
  'A session of a one-time code only reads: sign in with the administration token for this'

const proofOf = (session: string, key: Buffer) => createHmac('sha256', key).update(session).digest()

const keyFrom = (secret: string | Buffer, purpose: string) =>
  Buffer.from(hkdfSync('sha256', secret, '', `surehook/operator-session/${purpose}`, 32))

const tokenKey = (adminToken: string) => keyFrom(adminToken, 'token')
const digestKey = (digest: Buffer) => keyFrom(digest, 'digest')
