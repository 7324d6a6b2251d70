import type { Message, TokenPair } from '../generated/types.gen.ts'
import type { Call, Http } from '../transport/http.ts'
import type { RequestOptions } from '../transport/request-options.ts'
import { isTokenRefused } from '../transport/token-refusal.ts'
import type { Session } from './session.ts'

/** Sends a refresh token. It repeats what failed for a moment. */
export const exchange = (http: Http, refreshToken: string): Promise<TokenPair> =>
  http.send(exchangeOf(refreshToken))

/**
 * Ends the session at the service, which takes only an access token for it. `isExpired`: that of
 * the session is known to be refused. The page is often left meanwhile, so each request outlives
 * it.
 */
export async function endAtService(
  http: Http,
  { accessToken, refreshToken }: Session,
  isExpired: boolean,
  options?: RequestOptions,
): Promise<void> {
  const send = <Body>(call: Call) => http.send<Body>({ ...call, keepalive: true }, options)
  const end = (token: string) => send<Message>(logoutWith(token))
  if (!isExpired) {
    try {
      await end(accessToken)
      return
    } catch (err) {
      if (!isTokenRefused(err)) throw err
    }
  }
  // A refusal of the refresh token says that the session is over.
  const pair = await send<TokenPair>(exchangeOf(refreshToken)).catch(nullIfRefused)
  if (pair !== null) await end(pair.accessToken)
}

const exchangeOf = (refreshToken: string): Call => ({
  method: 'POST',
  path: 'refresh-token',
  body: { refreshToken },
  isRepeatable: true,
})

const logoutWith = (accessToken: string): Call => ({
  method: 'POST',
  path: 'logout',
  accessToken,
  isRepeatable: true,
})

function nullIfRefused(err: unknown): null {
  if (isTokenRefused(err)) return null
  throw err
}
