import { expect } from '@jest/globals'
import { SurehookAuth, type SurehookAuthOptions } from '../src/index.ts'
import { accessToken, user } from './tab-world.ts'

type SentRequest = {
  request: string
  headers: Record<string, string>
  body: string
  keepalive: boolean
}
type Answer = Response | Error | ((sent: SentRequest) => Response)

const opened: SurehookAuth[] = []

export async function closePages(): Promise<void> {
  for (const auth of opened.splice(0)) await auth.close()
}

/** A page whose requests get one answer after the other: an error is a lost connection. */
export function pageOf(answers: Answer[], options: Partial<SurehookAuthOptions> = {}) {
  const sent: SentRequest[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    const { method, url, keepalive } = request
    const headers = Object.fromEntries(request.headers)
    const body = await request.text()
    const one = { request: `${method} ${url}`, headers, body, keepalive }
    sent.push(one)
    request.signal.throwIfAborted()
    const answer = answers.shift() ?? new Error('no answer is left')
    if (answer instanceof Error) throw answer
    return typeof answer === 'function' ? answer(one) : answer
  }
  const given = { baseUrl: 'https://hooks.example/', projectId: 'shop', storage: 'memory', fetch }
  const auth = new SurehookAuth({ ...given, ...options } as SurehookAuthOptions)
  opened.push(auth)
  return { auth, sent }
}

export const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers })
export const pair = (name: string, seconds = 900) => ({
  accessToken: accessToken(name, seconds),
  refreshToken: `r${name}`,
})
export const login = (seconds?: number) => json(200, { ...pair('0', seconds), user })
export const refreshed = () => json(200, pair('1'))
export const refused = (error = 'AUTH_TOKEN_INVALID') => json(401, { error })
export const lost = () => new TypeError('fetch failed')
export const credentials = { email: 'ada@example.com', password: 'correct horse battery' }
export const failureOf = (call: Promise<unknown>) => call.then(expect, (error: unknown) => error)

export async function signedIn(answers: Answer[], options: Partial<SurehookAuthOptions> = {}) {
  const page = pageOf([login(), ...answers], options)
  await page.auth.login(credentials)
  page.sent.length = 0
  return page
}

/** A storage of the caller, in which another tab may write too. */
export function writableStorage() {
  const items = new Map<string, string>()
  const storage = {
    getItem: async (key: string) => items.get(key) ?? null,
    setItem: async (key: string, value: string) => void items.set(key, value),
    removeItem: async (key: string) => void items.delete(key),
  }
  const editSession = (changes: object) => {
    for (const [key, value] of items) {
      items.set(key, JSON.stringify({ ...JSON.parse(value), ...changes }))
    }
  }
  return { storage, editSession }
}
