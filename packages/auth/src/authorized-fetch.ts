import { isOfSameUser, type Session } from './session/session.ts'
import type { Sessions } from './session/sessions.ts'
import { problemIn } from './transport/error-of.ts'
import { isTokenCode } from './transport/token-refusal.ts'

export type AuthorizedFetchOptions = {
  baseUrl: string
  projectId: string
  environment: string
  /** Origins besides that of `baseUrl` that get the access token. */
  origins: readonly string[]
  fetch: typeof globalThis.fetch
  sessions: Pick<Sessions, 'fresh' | 'renewed'>
}

/** A `fetch` that sends the access token, and once more if the service refuses it. */
export function authorizedFetch(options: AuthorizedFetchOptions): typeof globalThis.fetch {
  const { baseUrl, fetch, sessions } = options
  const allowed = new Set([baseUrl, ...options.origins].map((url) => new URL(url).origin))
  return async (input, init) => {
    const request = new Request(absolute(input, baseUrl), init)
    const { origin } = new URL(request.url)
    if (!allowed.has(origin)) throw new TypeError(`${origin} is none of the allowed origins`)
    const { signal } = request
    const session = await sessions.fresh(signal)
    // The first attempt uses the body up.
    const again = request.clone()
    const response = await fetch(authorized(request, session, options))
    if (!(await isTokenRefusal(response))) return response
    const renewed = await sessions.renewed(session, signal)
    // Somebody else may have signed in meanwhile.
    const isOther = renewed.accessToken !== session.accessToken
    if (!isOther || !isOfSameUser(renewed, session)) return response
    return fetch(authorized(again, renewed, options))
  }
}

/** A path is one of Surehook. */
const absolute = (input: string | URL | Request, baseUrl: string) =>
  typeof input === 'string' && input.startsWith('/') ? baseUrl + input : input

function authorized(
  request: Request,
  { accessToken }: Session,
  { baseUrl, projectId, environment }: AuthorizedFetchOptions,
): Request {
  const { headers, url } = request
  headers.set('authorization', `Bearer ${accessToken}`)
  const tenant = { 'x-project-id': projectId, environment }
  // The browser would ask another service whether it takes these headers.
  for (const [name, value] of url.startsWith(`${baseUrl}/`) ? Object.entries(tenant) : []) {
    if (!headers.has(name)) headers.set(name, value)
  }
  return request
}

/** A service may answer 401 for other reasons, such as a wrong password. */
async function isTokenRefusal(response: Response): Promise<boolean> {
  if (response.status !== 401) return false
  const problem = problemIn(await response.clone().text())
  return problem === null || isTokenCode(problem.error)
}
