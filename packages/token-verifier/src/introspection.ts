import { boundedJson } from './bounded.ts'
import { TokenError, VerifierUnavailableError } from './token-error.ts'

/** Asks the issuer about a token. Resolves with its claims, or rejects as `verify` does. */
export type Introspect = (token: string) => Promise<unknown>

export type IntrospectionOptions = {
  url: string | URL
  /** Credential of services at the issuer. */
  serviceToken: string
  headers?: Readonly<Record<string, string>> | undefined
  timeoutMs?: number
  fetch?: typeof fetch
}

const maxBytes = 64 * 1024

/** RFC 7662, for tokens that only their issuer can decrypt. */
export function createIntrospection(options: IntrospectionOptions): Introspect {
  const { url, serviceToken, headers = {}, timeoutMs = 5_000, fetch: send = fetch } = options
  return async (token) => {
    const answer = await ask(() =>
      send(url, {
        method: 'POST',
        headers: { ...headers, authorization: `Bearer ${serviceToken}` },
        body: new URLSearchParams({ token, token_type_hint: 'access_token' }),
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      }),
    )
    if (answer['active'] === true) return answer
    // `reason` is our issuer's own member: clients treat an expired token differently from an
    // invalid one.
    const expired = answer['reason'] === 'expired'
    throw new TokenError(
      expired ? 'AUTH_TOKEN_EXPIRED' : 'AUTH_TOKEN_INVALID',
      'The token is not active',
    )
  }
}

async function ask(send: () => Promise<Response>): Promise<Readonly<Record<string, unknown>>> {
  try {
    const response = await send()
    if (response.ok) return asObject(await boundedJson(response, maxBytes))
    await response.body?.cancel()
    // 404: the environment has no authentication, so no token is valid.
    if (response.status === 404) return { active: false }
    throw new Error(`The introspection was answered with ${response.status}`)
  } catch (err) {
    throw new VerifierUnavailableError('The token cannot be introspected', { cause: err })
  }
}

function asObject(answer: unknown): Readonly<Record<string, unknown>> {
  const { active } = (answer ?? {}) as { active?: unknown }
  if (typeof active !== 'boolean') throw new Error('The answer does not say whether it is active')
  return answer as Readonly<Record<string, unknown>>
}
