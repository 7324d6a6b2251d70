import { Surehook } from '@surehook/client'
import { createContext, use } from 'react'
import type { Session } from '../app/session/session.ts'

/** Calls of the signed-in user. Keys of queries begin with the tenant, so tenants share nothing. */
export type Api = {
  readonly session: Session
  readonly surehook: Surehook
  keyOf(...parts: readonly unknown[]): readonly unknown[]
  /** Sends a request that the client has no method for, with the session's token and tenant. */
  request(path: string, init?: ApiRequest): Promise<Response>
  /** The same user in another environment. Only the operator has more than one. */
  inTenant(project: string, environment: string): Surehook
}

export type ApiRequest = Omit<RequestInit, 'headers'> & { headers?: Record<string, string> }

type ApiOptions = { session: Session; onRefused: (session: Session) => void }

/** Makes the calls of one session. A 401 to any of them ends the session. */
export function openApi({ session, onRefused }: ApiOptions): Api {
  const send: typeof fetch = async (input, init) => {
    const answer = await fetch(input, { ...init, credentials: 'omit', cache: 'no-store' })
    if (answer.status === 401) onRefused(session)
    return answer
  }
  const inTenant = (projectId: string, environment: string) =>
    new Surehook({
      baseUrl: window.location.origin,
      projectId,
      environment,
      token: session.token,
      fetch: send,
    })
  const { project, environment } = tenantOf(session)
  return {
    session,
    surehook: inTenant(project, environment),
    keyOf: (...parts) => [project, environment, ...parts],
    request: (path, { headers, ...init } = {}) => {
      const own = { authorization: `Bearer ${session.token}`, 'x-project-id': project, environment }
      return send(path, { ...init, headers: { ...own, ...headers } })
    },
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
