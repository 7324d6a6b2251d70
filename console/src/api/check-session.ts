import { AuthenticationError, PermissionError } from '@surehook/client'
import { useQuery } from '@tanstack/react-query'
import type { Session } from '../app/session/session.ts'
import { type Api, openApi, useApi } from './api.ts'

/** Asks whether the token is valid. Rejects with the error of the API if it is not. */
export const checkSession = (session: Session): Promise<void> =>
  probe(openApi({ session, onRefused: () => {} }))

async function probe({ session, surehook }: Api, signal?: AbortSignal): Promise<void> {
  const options = signal === undefined ? {} : { signal }
  if (session.kind === 'operator') {
    await surehook.admin.projects.list({ limit: 1 }, options)
    return
  }
  await surehook.webhooks.list({ limit: 1 }, options).catch((err: unknown) => {
    // A valid token may have other rights than webhooks.
    if (!(err instanceof PermissionError)) throw err
  })
}

const everyMs = 5_000

/** Notices a revoked token also on a page that asks for nothing. */
export function useWatchedSession(): void {
  const api = useApi()
  useQuery({
    queryKey: api.keyOf('session'),
    queryFn: async ({ signal }) => {
      await probe(api, signal)
      return true
    },
    refetchInterval: everyMs,
  })
}

export const isRefused = (err: unknown): boolean => err instanceof AuthenticationError
