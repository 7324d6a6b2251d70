import type { TrustedIssuer } from '@surehook/contracts/http/admin/trusted-issuers'
import { getIssuerKeys } from '@surehook/contracts/http/issuer-keys'
import {
  createIssuerVerifier,
  FailedTokens,
  type IssuerClaims,
  IssuerMemory,
  type IssuerVerifier,
  type TenantName,
  TooManyTokensError,
} from '@surehook/token-verifier'
import { tokenRefusal } from './token-refusal.ts'

/** A token, and the client that rate limits count. */
export type ShownToken = { token: string; client: string }

export type IssuedTokens = {
  /**
   * Verifies an access token of an issuer that the tenant trusts. Rejects with 401, with 429 after
   * too many bad signatures of the client, or with 503 if the keys of the issuer cannot be read.
   */
  verify(tenant: TenantName, issuer: TrustedIssuer, shown: ShownToken): Promise<IssuerClaims>
}

export type IssuedTokensOptions = {
  /** The address of auth-service, which fetches the keys of issuers. */
  url: string
  serviceToken: string
  /** How many tokens with a bad signature a client may send per minute. */
  maxFailedTokensPerMinute: number
  /** Called for each token that is refused because the client sent too many invalid ones. */
  onLimited: () => void
}

const maxVerifiers = 1_000
const maxTokens = 20_000
/** auth-service asks the issuer twice, and each issuer has its own speed. */
const timeoutMs = 5_000

/** Keeps a verifier for each issuer of each tenant. The least recently used is dropped first. */
export function createIssuedTokens(options: IssuedTokensOptions): IssuedTokens {
  const failed = new FailedTokens({ maxPerMinute: options.maxFailedTokensPerMinute })
  const memory = new IssuerMemory(maxTokens, failed)
  const verifiers = new Map<string, IssuerVerifier>()

  function verifierOf(tenant: TenantName, issuer: TrustedIssuer): IssuerVerifier {
    // Changed settings are another key, so nothing that was verified by the earlier ones counts.
    const key = JSON.stringify([tenant.projectId, tenant.environment, issuer])
    const verifier = verifiers.get(key) ?? newVerifier(options, memory, tenant, issuer)
    verifiers.delete(key)
    verifiers.set(key, verifier)
    const [oldest = ''] = verifiers.keys()
    if (verifiers.size > maxVerifiers) verifiers.delete(oldest)
    return verifier
  }

  return {
    async verify(tenant, issuer, { token, client }) {
      try {
        return await verifierOf(tenant, issuer).verify(token, client)
      } catch (err) {
        if (err instanceof TooManyTokensError) options.onLimited()
        // Who sets up an issuer has to learn which setting does not fit its tokens.
        throw tokenRefusal(err, { saysWhy: true })
      }
    },
  }
}

function newVerifier(
  { url, serviceToken }: IssuedTokensOptions,
  memory: IssuerMemory,
  { projectId, environment }: TenantName,
  { issuer, audience, rolesClaim, userIdClaim }: TrustedIssuer,
): IssuerVerifier {
  const jwksUrl = new URL(`${url}${getIssuerKeys.path}`)
  jwksUrl.searchParams.set('issuer', issuer)
  return createIssuerVerifier({
    ...{ issuer, audience, rolesClaim, userIdClaim, memory, timeoutMs, jwksUrl },
    headers: {
      ...{ authorization: `Bearer ${serviceToken}`, 'x-project-id': projectId, environment },
    },
    fetch: async (...request) => {
      const response = await fetch(...request)
      // An older auth-service, which does not know the path. It says nothing about the keys.
      if (response.status === 404) throw new Error('auth-service answered 404')
      return response
    },
  })
}
