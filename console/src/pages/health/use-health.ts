import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api.ts'
import type { GatewayState } from './services-seen.ts'

const everyMs = 10_000

export function useHealth() {
  const { surehook, keyOf } = useApi()
  return useQuery({
    queryKey: keyOf('installation', 'health'),
    queryFn: ({ signal }) => surehook.admin.installation.health({ signal }),
    refetchInterval: everyMs,
  })
}

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
