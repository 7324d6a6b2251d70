import { useQuery } from '@tanstack/react-query'
import { useApi } from './api.ts'

/** The URL of a receiver beside this installation that takes every delivery. Usually none runs. */
export function useTestReceiver(): string | null {
  const { keyOf } = useApi()
  const { data } = useQuery({
    queryKey: keyOf('settings'),
    queryFn: async ({ signal }) => testReceiverIn(await (await fetch(file, { signal })).json()),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return data ?? null
}

const file = '/console/settings.json'

export function testReceiverIn(settings: unknown): string | null {
  if (typeof settings !== 'object' || settings === null) return null
  const { testReceiver } = settings as Record<string, unknown>
  return typeof testReceiver === 'string' ? testReceiver : null
}
