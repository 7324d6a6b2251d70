import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { wholeSession } from '@surehook/contracts/events/session-revocation'
import type { UserValues } from '@surehook/contracts/http/user-values'
import { revocationsTopic } from '@surehook/contracts/topics'
import type { EventProducer } from '@surehook/kafka/producer/producer'
import type { EventCodec } from '@surehook/schemas/codec'
import { CompactEncrypt, exportJWK, generateKeyPair, SignJWT } from 'jose'

type TenantName = { projectId: string; environment: string }
export type TokenOptions = {
  /** The id of the user. */
  sub?: string
  roles?: readonly string[]
  sid?: string
  gen?: number
  ttlS?: number
  encrypted?: boolean
}

export type Issuer = AsyncDisposable & {
  readonly url: string
  readonly publicUrl: string
  readonly serviceToken: string
  /** The number of requests by path. */
  readonly asked: Map<string, number>
  /** What it knows of users, by their ids. */
  readonly values: Map<string, UserValues>
  /** If set, every request is answered with this status. */
  status: number | null
  /** True if the keys of all tokens were replaced. */
  replaced: boolean
  token(tenant: TenantName, options?: TokenOptions): Promise<string>
  /** Returns an encrypted token that anyone could make. */
  forged(): Promise<string>
  revoke(tenant: TenantName, sid: string, minGeneration?: number): Promise<void>
}

const publicUrl = 'https://data.example'
const serviceToken = 'service-token-of-the-tests'

type Parts = { codec: EventCodec; producer: EventProducer }

const usersPath = '/internal/users/'

/** Stands in for auth-service: its keys, its introspection, its users and its topic of revocations. */
export async function openIssuer(parts: Parts): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair('RS256')
  const encryption = await generateKeyPair('RSA-OAEP-256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', use: 'sig', alg: 'RS256' }
  const encrypt = (inner: string) =>
    new CompactEncrypt(Buffer.from(inner))
      .setProtectedHeader({ alg: 'RSA-OAEP-256', enc: 'A256GCM', cty: 'JWT', kid: 'two' })
      .encrypt(encryption.publicKey)
  const opened = new Map<string, object>()
  const asked = new Map<string, number>()
  const values = new Map<string, UserValues>()

  const valuesOf = (id: string): [number, object] => {
    const known = values.get(id)
    return known === undefined ? [404, { error: 'USER_NOT_FOUND' }] : [200, known]
  }
  const answerTo = async (req: IncomingMessage): Promise<[number, object]> => {
    const path = req.url ?? ''
    asked.set(path, (asked.get(path) ?? 0) + 1)
    if (issuer.status !== null) return [issuer.status, {}]
    if (path === '/auth/.well-known/jwks.json') {
      return [200, { keys: issuer.replaced ? [] : [jwk] }]
    }
    if (req.headers.authorization !== `Bearer ${serviceToken}`) return [401, {}]
    if (path.startsWith(usersPath)) return valuesOf(path.slice(usersPath.length))
    const claims = opened.get(new URLSearchParams(await text(req)).get('token') ?? '')
    return [
      200,
      claims === undefined || issuer.replaced ? { active: false } : { active: true, ...claims },
    ]
  }
  const server = await serve(answerTo)

  const issuer: Issuer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    publicUrl,
    serviceToken,
    asked,
    values,
    status: null,
    replaced: false,
    async token(tenant, options = {}) {
      const claims = claimsOf(tenant, options)
      const jws = await new SignJWT({ ...claims })
        .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: 'one' })
        .sign(privateKey)
      if (options.encrypted !== true) return jws
      const jwe = await encrypt(jws)
      opened.set(jwe, claims)
      return jwe
    },
    forged: () => encrypt('eyJhbGciOiJub25lIn0.e30.'),
    revoke: revokeOver(parts),
    [Symbol.asyncDispose]: async () => server[Symbol.asyncDispose](),
  }
  return issuer
}

const revokeOver =
  ({ codec, producer }: Parts): Issuer['revoke'] =>
  async ({ projectId, environment }, sid, minGeneration = wholeSession) => {
    const expiresAt = new Date(Date.now() + 600_000).toISOString()
    const state = { sessionId: sid, projectId, environment, minGeneration, expiresAt }
    const value = codec.revocation.encode(state)
    await producer.send([{ topic: revocationsTopic, key: sid, value }])
  }

type Answer = (req: IncomingMessage) => Promise<[number, object]>

async function serve(answerTo: Answer) {
  const server = createServer((req, res) => {
    void answerTo(req).then(([status, body]) => {
      res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

function claimsOf({ projectId, environment }: TenantName, options: TokenOptions) {
  const { sub = randomUUID(), roles = [], sid = randomUUID(), gen = 1, ttlS = 300 } = options
  const iat = Math.floor(Date.now() / 1_000)
  return {
    iss: `${publicUrl}/auth/${projectId}/${environment}`,
    aud: `${projectId}/${environment}`,
    sub,
    jti: randomUUID(),
    sid,
    gen,
    roles,
    iat,
    nbf: iat,
    exp: iat + ttlS,
  }
}
