import { Surehook } from '@surehook/client'
import { createContext, use } from 'react'
import type { Session } from '../session/session.ts'

/** Calls of the signed-in user. Keys of queries begin with the tenant, so tenants share nothing. */
export type Api = {
  readonly session: Session
  readonly surehook: Surehook
  keyOf(...parts: readonly unknown[]): readonly unknown[]
  /** Sends a request that the client has no method for, with the session's token and tenant. */
  request(path: string, init?: ApiRequest): Promise<Response>
  /** Sends a request as a user, or without a token. Its refusal says nothing about the session. */
  requestAs(token: string | null, path: string, init?: ApiRequest): Promise<Response>
  /** The same user in another environment. */
  inTenant(project: string, environment: string): Surehook
}

export type ApiRequest = Omit<RequestInit, 'headers'> & { headers?: Record<string, string> }

/** The session that signs the calls in, and the URL that gets them. */
export type Calls = {
  session: Session
  baseUrl?: string
  fetch?: typeof globalThis.fetch
}

type ApiOptions = Calls & {
  /** Learns of each 401 to the token of the session. */
  onRefused: () => void
}

/** Makes the calls of one session. */
export function openApi(options: ApiOptions): Api {
  const { session, onRefused, baseUrl = window.location.origin } = options
  const { fetch = (...args) => globalThis.fetch(...args) } = options
  const sendPlain: typeof fetch = (input, init) =>
    fetch(input, { ...init, credentials: 'omit', cache: 'no-store' })
  const send: typeof fetch = async (input, init) => {
    const answer = await sendPlain(input, init)
    if (answer.status === 401) onRefused()
    return answer
  }
  const inTenant = (projectId: string, environment: string) =>
    new Surehook({ baseUrl, projectId, environment, token: session.token, fetch: send })
  const { project, environment } = tenantOf(session)
  const headersOf = (token: string | null, init: ApiRequest) => ({
    'x-project-id': project,
    environment,
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...init.headers,
  })
  return {
    session,
    surehook: inTenant(project, environment),
    keyOf: (...parts) => [project, environment, ...parts],
    request: (path, init = {}) => send(path, { ...init, headers: headersOf(session.token, init) }),
    requestAs: (token, path, init = {}) =>
      sendPlain(path, { ...init, headers: headersOf(token, init) }),
    inTenant,
  }
}

/** The operator calls operations of the installation, which ignore the tenant. */
const tenantOf = (session: Session) =>
  session.kind === 'developer' ? session : { project: '-', environment: '-' }

const ApiContext = createContext<Api | null>(null)
export const ApiProvider = ApiContext.Provider

export function useApi(): Api {
  const api = use(ApiContext)
  if (api === null) throw new Error('no session')
  return api
}
