import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TokenPair } from '@surehook/contracts/http/auth'
import { expectStatus, send } from '@surehook/scripts/client/call'
import { defaultSecret, type Tenant } from '@surehook/scripts/client/tenant'

export type Counts = Record<string, number>
export type Load = { readonly counts: Counts; stop(): Promise<void> }

type Options = { baseUrl: string; tenant: Tenant; adminToken: () => string }

/** Repeats every request that depends on a secret. The first failed request ends it. */
export async function openLoad({ baseUrl, tenant, adminToken }: Options): Promise<Load> {
  const counts: Counts = {}
  const over = new AbortController()
  const user = { email: `${randomUUID()}@example.com`, password: 'correct horse battery' }
  const auth = async (path: string, body: object): Promise<TokenPair> => {
    const { projectId, environment } = tenant
    const headers = { 'x-project-id': projectId, environment, 'x-forwarded-for': anyAddress() }
    const answer = await send<TokenPair>(baseUrl, `POST /auth/${path}`, { body, headers })
    return expectStatus(path === 'signup' ? 201 : 200, answer).body
  }
  await auth('signup', user)
  let { refreshToken, accessToken } = await auth('login', user)
  const { id } = await tenant.subscribe('https://receiver.example/', { active: false })
  const work: Record<string, () => Promise<unknown>> = {
    write: () => tenant.insert({ status: 'paid' }),
    // An encrypted token, which data-api must ask auth-service to read. Its user has no role, so
    // 403 is right; an unreadable token would give 401.
    'read as user': async () => {
      const { headers } = tenant
      const authorization = `Bearer ${accessToken}`
      const answer = await send(baseUrl, 'GET /gw/api/rest/orders?limit=1', {
        headers: { ...headers, authorization },
      })
      expectStatus(403, answer)
    },
    refresh: async () => {
      const session = await auth('refresh-token', { refreshToken })
      refreshToken = session.refreshToken
      accessToken = session.accessToken
    },
    login: () => auth('login', user),
    'replace a secret': async () =>
      expectStatus(200, await tenant.webhooks(`PATCH /${id}`, { secret: defaultSecret })),
    administer: async () => {
      const headers = { authorization: `Bearer ${adminToken()}` }
      expectStatus(200, await send(baseUrl, 'GET /auth/admin/projects?limit=1', { headers }))
    },
  }
  const repeat = async (name: string, once: () => Promise<unknown>) => {
    while (!over.signal.aborted) {
      await once()
      counts[name] = (counts[name] ?? 0) + 1
      await sleep(100, undefined, { signal: over.signal }).catch(() => undefined)
    }
  }
  const running = Object.entries(work).map(([name, once]) =>
    repeat(name, once).catch((err: unknown) => {
      over.abort()
      throw new Error(`${name}: ${(err as Error).message}`, { cause: err })
    }),
  )
  const ended = Promise.all(running)
  ended.catch(() => undefined)
  return {
    counts,
    async stop() {
      over.abort()
      await ended
    },
  }
}

/** An address of the network for benchmark tests (RFC 2544), because limits count per address. */
const anyAddress = () => `198.18.${randomInt(256)}.${randomInt(256)}`
