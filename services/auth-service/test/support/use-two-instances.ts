import { afterAll, beforeAll, beforeEach } from '@jest/globals'
import type { Answer } from '@surehook/scripts/client/call'
import { type AccountWorld, openAccountWorld } from './account-world.ts'
import { type AuthClient, openAuthClient, password } from './auth-client.ts'
import type { Running } from './under-test.ts'

/** The address that a request comes from, and the instance that gets it: `client` by default. */
export type SentFrom = { at?: string; by?: AuthClient }

export type TwoInstances = {
  readonly accounts: AccountWorld
  /** A new project for each test, without verification of addresses. */
  readonly client: AuthClient
  /** The same project on the other instance. */
  readonly other: AuthClient
  post: (path: string, body: unknown, from?: SentFrom) => Promise<Answer>
  signup: (email: string, from?: SentFrom) => Promise<Answer>
  login: (email: string, tried: string, from?: SentFrom) => Promise<Answer>
}

/** Runs two instances of the service for the tests of a file. */
export function useTwoInstances(): TwoInstances {
  const post: TwoInstances['post'] = (path, body, { at = '203.0.113.1', by = on.client } = {}) =>
    by.send(`POST ${path}`, { body, headers: { 'x-forwarded-for': at } })
  const calls: Pick<TwoInstances, 'post' | 'signup' | 'login'> = {
    post,
    signup: (email, from) => post('signup', { email, password }, from),
    login: (email, tried, from) => post('login', { email, password: tried }, from),
  }
  const on = calls as { -readonly [Part in keyof TwoInstances]: TwoInstances[Part] }
  let twin: Running
  beforeAll(async () => {
    on.accounts = await openAccountWorld()
    twin = await on.accounts.startService()
  })
  beforeEach(async () => {
    on.client = await on.accounts.project({ emailVerification: false })
    on.other = await openAuthClient(twin.api, { projectId: on.client.projectId })
  })
  afterAll(async () => {
    await twin?.[Symbol.asyncDispose]()
    await on.accounts?.[Symbol.asyncDispose]()
  })
  return on
}

/** A random address of an IPv4 client. */
export const clientIp = (): string =>
  `198.51.${Math.floor(Math.random() * 256)}.${Math.floor(Math.random() * 256)}`
