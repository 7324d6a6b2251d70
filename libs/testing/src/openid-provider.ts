import { randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT } from 'jose'

type Answer = { status: number; body?: string; headers?: Record<string, string> } | 'hang'

/** A server whose answers the provider sets. */
export type ProviderServer = {
  url(path: string): string
  answer(path: string, behaviour: () => Answer): void
  receipts(path: string): readonly unknown[]
}

type Key = { kid: string; alg: string } & Awaited<ReturnType<typeof generateKeyPair>>

export type SignOptions = { header?: Partial<JWTHeaderParameters>; key?: Key }

export type OpenIdProvider = {
  readonly issuer: string
  readonly audience: string
  /** The number of requests for its keys. */
  readonly asked: number
  /** What it publishes. A test may change both. */
  metadata: Record<string, unknown>
  keys: Record<string, unknown>[]
  /** Answers every request in place of the metadata and the keys. `null`: it works. */
  down: Answer | null
  /** Signs an access token, by default for a new user and with the newest key. */
  token(claims?: Record<string, unknown>, options?: SignOptions): Promise<string>
  /** Makes a key and publishes it, in place of the earlier ones. */
  rotate(alg?: string): Promise<Key>
}

export const newKey = async (alg = 'RS256'): Promise<Key> => ({
  ...(await generateKeyPair(alg, { extractable: true })),
  ...{ kid: randomUUID(), alg },
})

export const publicJwk = async ({ kid, alg, publicKey }: Key) => ({
  ...(await exportJWK(publicKey)),
  ...{ kid, alg, use: 'sig' },
})

/** An OpenID provider that only publishes its keys and signs tokens: nobody logs in. */
export async function openOpenIdProvider(server: ProviderServer): Promise<OpenIdProvider> {
  const path = `/${randomUUID()}`
  const issuer = server.url(path)
  const jwksPath = `${path}/keys`
  const audience = 'https://api.example'
  let newest = await newKey()
  const provider: OpenIdProvider = {
    ...{ issuer, audience, down: null },
    metadata: { issuer, jwks_uri: server.url(jwksPath) },
    keys: [await publicJwk(newest)],
    get asked() {
      return server.receipts(jwksPath).length
    },
    token(claims = {}, { header, key = newest } = {}) {
      const nowS = Math.floor(Date.now() / 1_000)
      const times = { iat: nowS, exp: nowS + 300 }
      const payload = { iss: issuer, aud: audience, sub: `auth0|${randomUUID()}`, ...times }
      return new SignJWT({ ...payload, ...claims })
        .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'JWT', ...header })
        .sign(key.privateKey)
    },
    async rotate(alg) {
      newest = await newKey(alg)
      provider.keys = [await publicJwk(newest)]
      return newest
    },
  }
  const json = (body: object) => ({ status: 200, body: JSON.stringify(body) })
  server.answer(
    `${path}/.well-known/openid-configuration`,
    () => provider.down ?? json(provider.metadata),
  )
  server.answer(jwksPath, () => provider.down ?? json({ keys: provider.keys }))
  return provider
}
