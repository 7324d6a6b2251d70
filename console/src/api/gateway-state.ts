import { useQuery } from '@tanstack/react-query'
import { useApi } from './api.ts'

/** undefined: nobody knows yet. */
export type GatewayState = 'ready' | 'not ready' | undefined

const everyMs = 10_000

/** The gateway's own readiness needs no token. */
export function useGateway(): GatewayState {
  const { keyOf } = useApi()
  const { data, error } = useQuery({
    queryKey: keyOf('installation', 'gateway'),
    queryFn: async ({ signal }) => {
      const answer = await fetch('/readyz', { signal, cache: 'no-store' })
      // Until somebody reads it, the browser keeps the request open.
      await answer.text()
      return answer.ok
    },
    refetchInterval: everyMs,
  })
  if (error !== null) return 'not ready'
  if (data === undefined) return undefined
  return data ? 'ready' : 'not ready'
}
