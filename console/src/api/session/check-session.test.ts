import { expect, it } from '@jest/globals'
import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { openWatchedApi, sessionQuery } from './check-session.ts'

const session = { kind: 'developer', project: 'shop', environment: 'test', token: 'mt_1' } as const

type Gateway = { isRevoked: boolean }

/** A session on a page whose requests an older service refuses, also with a valid token. */
async function openPage(gateway: Gateway) {
  let [probes, ended] = [0, 0]
  const calls = {
    session,
    baseUrl: 'http://gateway',
    fetch: async (url: RequestInfo | URL) => {
      const isProbe = (url instanceof Request ? url.url : String(url)).includes('/_webhooks')
      if (isProbe) probes += 1
      const status = isProbe && !gateway.isRevoked ? 200 : 401
      return Response.json({ webhooks: [], nextCursor: null }, { status })
    },
  }
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const query = { ...sessionQuery(calls, () => void (ended += 1)), refetchInterval: false as const }
  const leave = new QueryObserver(queries, query).subscribe(() => {})
  const settled = async () => {
    do await new Promise((resolve) => setTimeout(resolve, 1))
    while (queries.isFetching() > 0)
  }
  await settled()
  const seen = () => ({ probes, ended })
  return { api: openWatchedApi(calls, queries), settled, leave, seen }
}

it('keeps the session of a valid token when a service refuses it', async () => {
  const { api, settled, leave, seen } = await openPage({ isRevoked: false })
  expect((await api.request('/api/rest/_health')).status).toBe(401)
  await settled()
  expect(seen()).toEqual({ probes: 2, ended: 0 })
  await api.request('/api/rest/_jobs')
  await settled()
  expect(seen()).toEqual({ probes: 3, ended: 0 })
  leave()
})

it('ends the session of a revoked token after one probe, however many requests it refuses', async () => {
  const gateway = { isRevoked: false }
  const { api, settled, leave, seen } = await openPage(gateway)
  gateway.isRevoked = true
  await Promise.all(Array.from({ length: 20 }, () => api.request('/api/rest/_health')))
  await settled()
  expect(seen()).toEqual({ probes: 2, ended: 1 })
  leave()
})
