import type { SessionRevocation } from '@surehook/contracts/events/session-revocation'
import { revocationsTopic } from '@surehook/contracts/topics'
import type { LogEnds } from '@surehook/kafka/offsets/log-ends'
import {
  openTopicView,
  type TopicView,
  type TopicViewOptions,
} from '@surehook/kafka/views/topic-view'
import type { EventCodec } from '@surehook/schemas/codec'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import {
  type AccessClaims,
  createIntrospection,
  createVerifierPool,
  type TenantName,
  type TokenVerifierOptions,
  TooManyTokensError,
} from '@surehook/token-verifier'
import { createIssuedTokens, type IssuedTokens, type ShownToken } from './issued-tokens.ts'
import { Revocations } from './revocations.ts'
import { tokenRefusal } from './token-refusal.ts'

export type UserTokens = AsyncDisposable & {
  readonly ready: Promise<void>
  readonly healthy: boolean
  /**
   * Verifies a user's access token and returns its claims. Rejects with 401, with 429 after too
   * many invalid encrypted tokens of the client, or with 503 if verification is impossible. Ignores
   * everything cached under another key epoch of the environment.
   */
  verify(tenant: TenantName, shown: ShownToken, keyEpoch: number): Promise<AccessClaims>
  /** True if auth-service issues such tokens for the tenant. */
  isOwnIssuer(tenant: TenantName, issuer: string): boolean
  /** Verifies the tokens of trusted issuers. */
  readonly issued: IssuedTokens
  /** True if the token is revoked, by what is known here. True also while that is not current. */
  isRevoked(claims: AccessClaims): boolean
}

export type UserTokensOptions = {
  /** The address of auth-service. */
  url: string
  publicUrl: string
  serviceToken: string
  kafka: TopicViewOptions<SessionRevocation>['kafka']
  codec: EventCodec
  clientId: string
  /** Log ends of `revocationsTopic` and of other topics. */
  ends: LogEnds
  /** How many invalid encrypted tokens a client may send per minute. */
  maxFailedTokensPerMinute: number
  /** Called for each token that is refused because the client sent too many invalid ones. */
  onLimited: () => void
  log: Logger
}

/**
 * The shortest time between two requests for unknown keys. It may be short, because auth-service is
 * on the same network.
 */
const cooldownMs = 1_000
const timeoutMs = 2_000

/** Verifies tokens with auth-service's keys and its topic of revocations. */
export async function openUserTokens(options: UserTokensOptions): Promise<UserTokens> {
  const { kafka, codec, clientId, ends, log } = options
  const revocations = new Revocations()
  const view = await openTopicView<SessionRevocation>({
    kafka,
    codec,
    clientId: `${clientId}.revocations`,
    topics: [revocationsTopic],
    ends,
    apply: (_topic, sessionId, revocation) => revocations.apply(sessionId, revocation),
    log,
  })
  const issuer = (tenant: TenantName) => issuerOptions(options, tenant)
  const issued = createIssuedTokens(options)
  return createUserTokens({ ...options, revocations, view, issuerOf: issuer, issued })
}

export type UserTokensParts = Pick<UserTokensOptions, 'maxFailedTokensPerMinute' | 'onLimited'> & {
  revocations: Pick<Revocations, 'isRevoked'>
  view: TopicView
  issuerOf: (tenant: TenantName) => Omit<TokenVerifierOptions, 'isRevoked'>
  issued: IssuedTokens
}

/** The verification alone; tests pass their own parts. */
export function createUserTokens(parts: UserTokensParts): UserTokens {
  const { revocations, view, issuerOf, issued, maxFailedTokensPerMinute, onLimited } = parts
  const isRevoked = async (claims: AccessClaims) => {
    // Reads up to the topic's end, so that every logout answered before this request is seen.
    await view.barrier()
    return revocations.isRevoked(claims)
  }
  const verifiers = createVerifierPool({
    optionsOf: (tenant) => ({ ...issuerOf(tenant), isRevoked }),
    maxFailedPerMinute: maxFailedTokensPerMinute,
  })
  return {
    ready: view.ready,
    get healthy() {
      return view.healthy
    },
    async verify(tenant, { token, client }, keyEpoch) {
      try {
        return await verifiers.of(tenant, keyEpoch).verify(token, client)
      } catch (err) {
        if (err instanceof TooManyTokensError) onLimited()
        throw tokenRefusal(err)
      }
    },
    isOwnIssuer: (tenant, issuer) => issuer === issuerOf(tenant).issuer,
    issued,
    isRevoked: (claims) => !view.healthy || revocations.isRevoked(claims),
    [Symbol.asyncDispose]: async () => view[Symbol.asyncDispose](),
  }
}

function issuerOptions(
  { url, publicUrl, serviceToken }: UserTokensOptions,
  { projectId, environment }: TenantName,
): Omit<TokenVerifierOptions, 'isRevoked'> {
  const headers = { 'X-Project-Id': projectId, environment }
  return {
    jwksUrl: `${url}/auth/.well-known/jwks.json`,
    headers,
    issuer: `${publicUrl}/auth/${projectId}/${environment}`,
    audience: `${projectId}/${environment}`,
    introspect: createIntrospection({
      url: `${url}/auth/introspect`,
      serviceToken,
      headers,
      timeoutMs,
    }),
    cooldownMs,
  }
}
