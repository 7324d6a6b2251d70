import type { EventCodec } from '@surehook/contracts/codec'
import type { SessionRevocation } from '@surehook/contracts/events'
import { revocationsTopic } from '@surehook/contracts/topics'
import { AppError, unavailable } from '@surehook/service-kit/errors'
import type { LogEnds } from '@surehook/service-kit/kafka/log-ends'
import {
  openTopicView,
  type TopicView,
  type TopicViewOptions,
} from '@surehook/service-kit/kafka/topic-view'
import type { Logger } from '@surehook/service-kit/log'
import {
  type AccessClaims,
  createIntrospection,
  createVerifierPool,
  type TenantName,
  TokenError,
  type TokenVerifierOptions,
  VerifierUnavailableError,
} from '@surehook/token-verifier'
import { Revocations } from './revocations.ts'

export type UserTokens = AsyncDisposable & {
  readonly ready: Promise<void>
  readonly healthy: boolean
  /**
   * The claims of a user's access token; rejects with 401, or with 503 when nobody can say. Uses nothing that was
   * learnt under another key epoch of the environment.
   */
  verify(tenant: TenantName, token: string, keyEpoch: number): Promise<AccessClaims>
}

export type UserTokensOptions = {
  /** Where auth-service answers us. */
  url: string
  publicUrl: string
  serviceToken: string
  kafka: TopicViewOptions<SessionRevocation>['kafka']
  codec: EventCodec
  clientId: string
  /** Of `revocationsTopic` and others. */
  ends: LogEnds
  log: Logger
}

/** Unknown keys are asked for at most this often; auth-service is near. */
const cooldownMs = 1_000
const timeoutMs = 2_000

/** Verifies what auth-service issued, with its keys and its topic of revocations. */
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
  return createUserTokens({ revocations, view, issuerOf: issuer })
}

export type UserTokensParts = {
  revocations: Pick<Revocations, 'isRevoked'>
  view: TopicView
  issuerOf: (tenant: TenantName) => Omit<TokenVerifierOptions, 'isRevoked'>
}

/** The rules without their wiring. */
export function createUserTokens({ revocations, view, issuerOf }: UserTokensParts): UserTokens {
  const isRevoked = async (claims: AccessClaims) => {
    // Brings the view up to its topic's end: a logout that was answered before this request is seen.
    await view.barrier()
    return revocations.isRevoked(claims)
  }
  const verifiers = createVerifierPool({
    optionsOf: (tenant) => ({ ...issuerOf(tenant), isRevoked }),
  })
  return {
    ready: view.ready,
    get healthy() {
      return view.healthy
    },
    verify: (tenant, token, keyEpoch) => verifiers.of(tenant, keyEpoch).verify(token).catch(refuse),
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

function refuse(err: unknown): never {
  if (err instanceof VerifierUnavailableError) throw unavailable(err.message, err)
  if (!(err instanceof TokenError)) throw err
  const expired = err.code === 'AUTH_TOKEN_EXPIRED'
  throw new AppError(err.code, `The access token ${expired ? 'has expired' : 'is not valid'}`)
}
