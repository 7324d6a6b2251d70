import type { SessionRevocation } from '@surehook/contracts/events/session-revocation'
import { revocationsTopic } from '@surehook/contracts/topics'
import type { LogEnds } from '@surehook/kafka/offsets/log-ends'
import {
  openTopicView,
  type TopicView,
  type TopicViewOptions,
} from '@surehook/kafka/views/topic-view'
import type { EventCodec } from '@surehook/schemas/codec'
import { AppError, unavailable } from '@surehook/service-kit/errors'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import {
  type AccessClaims,
  createIntrospection,
  createVerifierPool,
  type TenantName,
  TokenError,
  type TokenVerifierOptions,
  TooManyTokensError,
  VerifierUnavailableError,
} from '@surehook/token-verifier'
import { Revocations } from './revocations.ts'

/** A token, and the client that rate limits count. */
export type ShownToken = { token: string; client: string }

export type UserTokens = AsyncDisposable & {
  readonly ready: Promise<void>
  readonly healthy: boolean
  /**
   * Verifies a user's access token and returns its claims. Rejects with 401, with 429 after too
   * many invalid encrypted tokens of the client, or with 503 if verification is impossible. Ignores
   * everything cached under another key epoch of the environment.
   */
  verify(tenant: TenantName, shown: ShownToken, keyEpoch: number): Promise<AccessClaims>
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
  metrics: Metrics
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
  return createUserTokens({ ...options, revocations, view, issuerOf: issuer })
}

export type UserTokensParts = Pick<UserTokensOptions, 'maxFailedTokensPerMinute' | 'metrics'> & {
  revocations: Pick<Revocations, 'isRevoked'>
  view: TopicView
  issuerOf: (tenant: TenantName) => Omit<TokenVerifierOptions, 'isRevoked'>
}

/** The verification alone; tests pass their own parts. */
export function createUserTokens(parts: UserTokensParts): UserTokens {
  const { revocations, view, issuerOf, maxFailedTokensPerMinute } = parts
  const limited = limitedMeter(parts.metrics)
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
        if (err instanceof TooManyTokensError) limited.inc()
        throw refusalOf(err)
      }
    },
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

const limitedMeter = (metrics: Metrics) =>
  metrics.counter({
    name: 'surehook_data_tokens_limited_total',
    help: 'Encrypted access tokens refused with 429 after too many bad ones from the client',
  })

function refusalOf(err: unknown): unknown {
  if (err instanceof VerifierUnavailableError) return unavailable(err.message, err)
  if (err instanceof TooManyTokensError) {
    const { retryAfterS } = err
    return new AppError('RATE_LIMIT_EXCEEDED', 'Too many invalid access tokens', { retryAfterS })
  }
  if (!(err instanceof TokenError)) return err
  const expired = err.code === 'AUTH_TOKEN_EXPIRED'
  return new AppError(err.code, `The access token ${expired ? 'has expired' : 'is not valid'}`)
}
