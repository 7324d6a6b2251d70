import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import type { BenchProject } from '../platform/platform.ts'

export const password = 'correct horse 7 battery'

export type Tokens = { accessToken: string; refreshToken: string }
type Answer = { status: number; body: Record<string, unknown> }

/** Calls of users, each from another address. */
export type Users = AsyncDisposable & {
  post(path: string, body: object): Promise<Answer>
  /** Resolves with the status of `/gw/api/rest{path}`. */
  get(path: string, token: string): Promise<number>
  /** `signUp` and `login` retry on 503, because preparations are not measured. */
  signUp(): Promise<string>
  login(email: string): Promise<Tokens>
}

export const newEmail = () => `${randomUUID()}@example.com`

type BenchTenant = { system: Pick<BenchProject['system'], 'baseUrl'>; projectId: string }

export function openUsers({ system, projectId }: BenchTenant, connections: number): Users {
  const pool = new Pool(system.baseUrl, { connections })
  const place = { 'x-project-id': projectId, environment: 'master' }
  const post = async (path: string, body: object): Promise<Answer> => {
    const response = await pool.request({
      method: 'POST',
      path: `/auth/${path}`,
      headers: { ...place, 'content-type': 'application/json', 'x-forwarded-for': nextAddress() },
      body: JSON.stringify(body),
    })
    const answered = (await response.body.json()) as Record<string, unknown>
    return { status: response.statusCode, body: answered }
  }
  const must = async (path: string, body: object, triesLeft = 30): Promise<Answer['body']> => {
    const answer = await post(path, body)
    if (answer.status < 300) return answer.body
    if (answer.status === 503 && triesLeft > 0) {
      await sleep(1_000)
      return must(path, body, triesLeft - 1)
    }
    throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  }
  return {
    post,
    async get(path, token) {
      const headers = { ...place, authorization: `Bearer ${token}` }
      const options = { method: 'GET', path: `/gw/api/rest${path}`, headers } as const
      const response = await pool.request(options)
      await response.body.dump()
      return response.statusCode
    },
    async signUp() {
      const email = newEmail()
      await must('signup', { email, password })
      return email
    },
    login: async (email) => (await must('login', { email, password })) as Tokens,
    [Symbol.asyncDispose]: () => pool.close(),
  }
}

let addresses = 0

/**
 * An address of 198.18.0.0/15, which is reserved for benchmarks (RFC 2544). It repeats after
 * 131,072 addresses.
 */
function nextAddress(): string {
  const n = addresses++
  return `198.${18 + ((n >> 16) & 1)}.${(n >> 8) & 255}.${n & 255}`
}

/**
 * Checks that the gateway trusts this machine as a proxy: limits count per client address, and the
 * load has to come from many addresses.
 */
export async function demandTrust(users: Users): Promise<void> {
  for (let n = 0; n < 12; n++) {
    // The request counts for the limit, and is refused before it costs anything.
    const { status } = await users.post('signup', { email: newEmail(), password: 'short' })
    if (status !== 429) continue
    throw new Error(
      'the gateway has to believe where the load says that it comes from; start the system with\n' +
        '  TRUSTED_PROXIES=127.0.0.0/8,::1/128 npm start',
    )
  }
}
