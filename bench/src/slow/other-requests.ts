import { Pool } from 'undici'
import { atRate } from '../load/at-rate.ts'
import { Latencies, type LatencySummary } from '../measure/latencies.ts'
import { newRecord } from '../platform/platform.ts'

export type OtherRequests = AsyncDisposable & {
  /** Sends requests at a fixed rate to both services in turn, and waits for all answers. */
  run(load: { perSecond: number; seconds: number }): Promise<OtherRun>
}

export type OtherRun = { latency: LatencySummary; refused: number; sent: number }

type Request = { method: 'GET' | 'POST'; path: string; body?: string; expected: number }

/** Requests of other clients: reads and small bodies, to auth-service and data-api in turn. */
export function openOtherRequests(
  baseUrl: string,
  { headers, token }: { headers: Record<string, string>; token: string },
): OtherRequests {
  const pool = new Pool(baseUrl, { connections: 32 })
  const requests: readonly Request[] = [
    { method: 'GET', path: '/auth/.well-known/jwks.json', expected: 200 },
    {
      method: 'POST',
      path: '/gw/api/rest/bench',
      body: JSON.stringify(newRecord()),
      expected: 201,
    },
    {
      method: 'POST',
      path: '/auth/refresh-token',
      body: JSON.stringify({ refreshToken: Buffer.alloc(32, 'none').toString('base64') }),
      expected: 401,
    },
    { method: 'GET', path: '/gw/api/rest/bench?limit=1', expected: 200 },
  ]
  const send = async ({ method, path, body, expected }: Request): Promise<boolean> => {
    // Users read, and the management token writes.
    const authorization = method === 'GET' ? `Bearer ${token}` : headers['authorization']
    const response = await pool.request({
      ...{ method, path, body: body ?? null },
      headers: { ...headers, authorization, 'x-forwarded-for': '198.51.100.1' },
    })
    await response.body.dump()
    return response.statusCode === expected
  }
  return {
    async run(load) {
      const latencies = new Latencies()
      let [n, refused] = [0, 0]
      const sent = await atRate(load, async () => {
        const request = requests[n++ % requests.length]
        if (request === undefined) throw new Error('There are no requests')
        const at = performance.now()
        if (!(await send(request))) refused++
        latencies.add(performance.now() - at)
      })
      return { latency: latencies.summary(), refused, sent }
    },
    [Symbol.asyncDispose]: () => pool.close(),
  }
}
