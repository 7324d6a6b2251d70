import { randomInt, randomUUID } from 'node:crypto'
import { expect } from '@jest/globals'
import { admin, expectStatus, type Platform } from '@surehook/scripts/client/call'
import type { AuthTransport, Headers, OperationName, Outcome, Result } from './auth-transports.ts'

export const password = 'correct horse battery'

/** Settings without verification by mail. */
export const trusting = { auth: { emailVerification: false } }

type Args = Readonly<Record<string, unknown>>

export type CallOptions = {
  /** The client's address. By default each call has another one. */
  from?: string | undefined
  accessToken?: string | undefined
  headers?: Headers
  /** An address to use instead of the gateway's. */
  url?: string | undefined
}

export type Mailbox = {
  /** The newest code mailed to the address, once one has come after those seen before. */
  nextCode(email: string): Promise<string>
  count(email: string): number
}

export type AuthTenantOptions = { projectId?: string; environment?: string; auth?: object }

type Parts = { system: Platform; transport: AuthTransport; mailbox: Mailbox }

/** An environment and its users, called over one transport. */
export class AuthTenant {
  readonly projectId: string
  readonly environment: string
  readonly #parts: Parts

  constructor(
    parts: Parts,
    { projectId, environment }: { projectId: string; environment: string },
  ) {
    this.#parts = parts
    this.projectId = projectId
    this.environment = environment
  }

  static async create(parts: Parts, options: AuthTenantOptions = {}): Promise<AuthTenant> {
    const { projectId = `p-${randomUUID()}`, environment = 'master', auth = {} } = options
    const tenant = new AuthTenant(parts, { projectId, environment })
    await tenant.configure(auth)
    return tenant
  }

  async configure(auth: object): Promise<void> {
    expectStatus(200, await this.admin('PUT', '', { auth }))
  }

  /** Calls a path below the environment: `admin('POST', '/roles', …)`. */
  admin(method: string, path: string, body?: unknown) {
    const of = `/${this.projectId}/environments/${this.environment}`
    return admin(this.#parts.system, `${method} ${of}${path}`, body)
  }

  get mailbox(): Mailbox {
    return this.#parts.mailbox
  }

  headers({ from = anyAddress(), accessToken, headers }: CallOptions = {}): Headers {
    return {
      'x-project-id': this.projectId,
      environment: this.environment,
      'x-forwarded-for': from,
      authorization: accessToken === undefined ? undefined : `Bearer ${accessToken}`,
      ...headers,
    }
  }

  call(operation: OperationName, args: Args = {}, options: CallOptions = {}): Promise<Outcome> {
    const { system, transport } = this.#parts
    const url = options.url ?? system.baseUrl
    return transport.call(url, operation, { args, headers: this.headers(options) })
  }

  jwks(options: CallOptions = {}): Promise<Outcome> {
    const { system, transport } = this.#parts
    return transport.jwks(options.url ?? system.baseUrl, this.headers(options))
  }

  /** Makes the call and checks that it succeeds. */
  async do(operation: OperationName, args: Args = {}, options: CallOptions = {}): Promise<Result> {
    const outcome = await this.call(operation, args, options)
    if (outcome.code === 'ok') return outcome.result
    throw new Error(`${operation}: ${JSON.stringify(outcome)}`)
  }

  login(email: string, options: CallOptions & { password?: string } = {}): Promise<Result> {
    return this.do('login', { email, password: options.password ?? password }, options)
  }

  /** Creates a user, who also confirms the address if the environment requires it. */
  async newUser(args: Args = {}): Promise<{ email: string; session: Result }> {
    const email = newEmail()
    await this.do('signup', { email, password, ...args })
    const settings = expectStatus(200, await this.admin('GET', '')).body as unknown as {
      auth: { emailVerification: boolean }
    }
    if (!settings.auth.emailVerification) return { email, session: await this.login(email) }
    const code = await this.mailbox.nextCode(email)
    return { email, session: await this.do('confirmSignup', { email, code }) }
  }
}

export const newEmail = () => `user-${randomUUID()}@example.com`

/** A random address of the network for benchmark tests (RFC 2544), which no other test uses. */
export const anyAddress = () => `198.18.${randomInt(256)}.${randomInt(256)}`

/** Returns another code of six digits. */
export const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

/** Checks that neither token of the pair is valid any more. */
export async function expectOver(
  tenant: AuthTenant,
  { accessToken, refreshToken }: Pick<Result, 'accessToken' | 'refreshToken'>,
): Promise<void> {
  const outcomes = [
    await tenant.call('logout', {}, { accessToken }),
    await tenant.call('refreshToken', { refreshToken }),
  ]
  expect(outcomes.map(({ code }) => code)).toEqual(['AUTH_TOKEN_INVALID', 'AUTH_TOKEN_INVALID'])
}
