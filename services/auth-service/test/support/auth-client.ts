import { randomUUID } from 'node:crypto'
import type { AuthSettingsChange } from '@surehook/contracts/http/admin/auth-settings'
import type { LoggedIn } from '@surehook/contracts/http/auth'
import type { Problem } from '@surehook/contracts/problem'
import { call } from './client.ts'
import { serviceToken } from './under-test.ts'

// Every field that an answer may have; the tests say which ones they expect.
export type AuthBody = LoggedIn &
  Problem & { userId: string; active: boolean; keys: Record<string, string>[] } & Record<
    string,
    unknown
  >
export type AuthAnswer = { status: number; headers: Headers; body: AuthBody }
type Request = { token?: string | undefined; body?: unknown; headers?: Record<string, string> }

export type AuthClient = {
  readonly projectId: string
  readonly environment: string
  /** `send('POST login', { body })`, under `/auth/`. */
  send(request: string, options?: Request): Promise<AuthAnswer>
  /** A new user who is logged in. */
  newUser(): Promise<LoggedIn & { email: string }>
  login(email: string): Promise<LoggedIn>
  refresh(refreshToken: string): Promise<AuthAnswer>
  /** What introspection returns to services about a token. */
  introspect(token: string): Promise<AuthAnswer>
  isActive(token: string): Promise<boolean>
  change(settings: AuthSettingsChange): Promise<void>
  admin(request: string, body?: unknown): ReturnType<typeof call>
}

export const password = 'correct horse 7 battery'

/** A project of its own, without verification by mail, and calls to it. */
export async function openAuthClient(
  api: string,
  options: { projectId?: string; environment?: string; settings?: AuthSettingsChange } = {},
): Promise<AuthClient> {
  const { projectId = `p-${randomUUID()}`, environment = 'master', settings = {} } = options
  const place = `/${projectId}/environments/${environment}`
  const admin = async (request: string, body?: unknown) => {
    const [method, path] = request.split(' ')
    return call(api, `${method} ${place}${path}`, { body })
  }
  const send: AuthClient['send'] = async (request, { token, body, headers = {} } = {}) => {
    const [method = 'GET', path = ''] = request.split(' ')
    const response = await fetch(`${api}/auth/${path}`, {
      method,
      headers: {
        'x-project-id': projectId,
        environment,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: (text === '' ? {} : JSON.parse(text)) as AuthBody,
    }
  }
  const change = async (changed: AuthSettingsChange) => {
    await call(api, `PUT ${place}`, { body: { auth: changed } })
  }
  await change({ emailVerification: false, ...settings })
  const login = async (email: string) => {
    const { status, body } = await send('POST login', { body: { email, password } })
    if (status !== 200) throw new Error(`login: ${status} ${JSON.stringify(body)}`)
    return body
  }
  const introspect = (token: string) =>
    send('POST introspect', { token: serviceToken, body: { token } })
  return {
    projectId,
    environment,
    send,
    change,
    admin,
    login,
    introspect,
    async newUser() {
      const email = `${randomUUID()}@example.com`
      const { status, body } = await send('POST signup', { body: { email, password } })
      if (status !== 201) throw new Error(`signup: ${status} ${JSON.stringify(body)}`)
      return { ...(await login(email)), email }
    },
    refresh: (refreshToken) => send('POST refresh-token', { body: { refreshToken } }),
    isActive: async (token) => (await introspect(token)).body.active,
  }
}

export const outcome = ({ status, body }: AuthAnswer): [number, string?] =>
  status < 400 ? [status] : [status, body.error]
