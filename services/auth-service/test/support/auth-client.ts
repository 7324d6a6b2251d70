import { randomUUID } from 'node:crypto'
import type { AuthSettingsChange } from '@surehook/contracts/http/admin/auth-settings'
import type {
  getJwks,
  LoggedIn,
  PublishedKey,
  signup,
  TokenPair,
} from '@surehook/contracts/http/auth'
import type { ReplyOf } from '@surehook/contracts/operation'
import {
  type Answer,
  admin,
  type Client,
  clientOf,
  type Fields,
  type RequestHeaders,
} from '@surehook/scripts/client/call'
import { adminToken, serviceToken } from './under-test.ts'

type Request = { token?: string | undefined; body?: unknown; headers?: RequestHeaders }

export type SignedUp = ReplyOf<typeof signup>

/** What services learn about a token. */
export type Introspected = Record<string, unknown> & { active: boolean }

export type AuthClient = {
  readonly projectId: string
  readonly environment: string
  /** `send('POST login', { body })` calls `/auth/login`. */
  send<T = Fields>(request: string, options?: Request): Promise<Answer<T>>
  /** Creates a user and logs in. */
  newUser(): Promise<LoggedIn & { email: string }>
  login(email: string): Promise<LoggedIn>
  refresh(refreshToken: string): Promise<Answer<TokenPair>>
  publishedKeys(): Promise<PublishedKey[]>
  /** Returns the introspection answer that services get for a token. */
  introspect(token: string): Promise<Answer<Introspected>>
  isActive(token: string): Promise<boolean>
  change(settings: AuthSettingsChange): Promise<void>
  /** `admin('GET /users')` calls a path below the environment. */
  admin<T = Fields>(request: string, body?: unknown): Promise<Answer<T>>
}

/**
 * Calls `/auth/admin/projects…` with the administration token, unless the headers say otherwise.
 */
export const callAdmin = <T = Fields>(
  api: string,
  ...call: Parameters<Client['call']>
): Promise<Answer<T>> => admin({ baseUrl: api, adminToken }, ...call)

export const password = 'correct horse 7 battery'

/** Creates a project without verification by mail, and returns a client for it. */
export async function openAuthClient(
  api: string,
  options: { projectId?: string; environment?: string; settings?: AuthSettingsChange } = {},
): Promise<AuthClient> {
  const { projectId = `p-${randomUUID()}`, environment = 'master', settings = {} } = options
  const place = `/${projectId}/environments/${environment}`
  const client = clientOf(`${api}/auth/`, { 'x-project-id': projectId, environment })
  const adminHere: AuthClient['admin'] = (request, body) => {
    const [method, path] = request.split(' ')
    return callAdmin(api, `${method} ${place}${path}`, body)
  }
  const send: AuthClient['send'] = (request, { token, body, headers } = {}) => {
    const authorization = token === undefined ? undefined : `Bearer ${token}`
    return client.call(request, body, { authorization, ...headers })
  }
  const change = async (changed: AuthSettingsChange) => {
    await callAdmin(api, `PUT ${place}`, { auth: changed })
  }
  await change({ emailVerification: false, ...settings })
  const login = async (email: string) => {
    const { status, body } = await send<LoggedIn>('POST login', { body: { email, password } })
    if (status !== 200) throw new Error(`login: ${status} ${JSON.stringify(body)}`)
    return body
  }
  const introspect = (token: string) =>
    send<Introspected>('POST introspect', { token: serviceToken, body: { token } })
  return {
    projectId,
    environment,
    send,
    change,
    admin: adminHere,
    login,
    introspect,
    async newUser() {
      const email = `${randomUUID()}@example.com`
      const { status, body } = await send('POST signup', { body: { email, password } })
      if (status !== 201) throw new Error(`signup: ${status} ${JSON.stringify(body)}`)
      return { ...(await login(email)), email }
    },
    publishedKeys: async () =>
      (await send<ReplyOf<typeof getJwks>>('GET .well-known/jwks.json')).body.keys,
    refresh: (refreshToken) => send('POST refresh-token', { body: { refreshToken } }),
    isActive: async (token) => (await introspect(token)).body.active,
  }
}

export const outcome = ({ status, body }: Answer<unknown>): [number, (string | undefined)?] =>
  status < 400 ? [status] : [status, body.error]
