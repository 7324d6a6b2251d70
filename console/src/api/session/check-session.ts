import { AuthenticationError, PermissionError } from '@surehook/client'
import type { QueryClient } from '@tanstack/react-query'
import type { Session } from '../../session/session.ts'
import { type Api, type Calls, openApi } from '../api.ts'
import { oneAtATime } from './one-at-a-time.ts'

/** Asks whether the token is valid. Rejects with the error of the API if it is not. */
export const checkSession = (session: Session): Promise<void> => probe(openProbe({ session }))

/** The probe is the answer to a 401, so its own 401 asks for nothing. */
const openProbe = (calls: Calls): Api => openApi({ ...calls, onRefused: () => {} })

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

/**
 * Makes the calls of a session. A 401 to any of them asks at once whether the token is valid. The
 * 401 alone ends no session: an older service also refuses valid tokens.
 */
export function openWatchedApi(calls: Calls, queries: QueryClient): Api {
  const askAgain = oneAtATime(() => queries.refetchQueries({ queryKey: api.keyOf('session') }))
  const api = openApi({ ...calls, onRefused: askAgain })
  return api
}

const everyMs = 5_000

/** The query that asks again and again whether the token is valid. */
export function sessionQuery(calls: Calls, onRefused: () => void) {
  const api = openProbe(calls)
  return {
    queryKey: api.keyOf('session'),
    queryFn: async ({ signal }: { signal: AbortSignal }) => {
      await probe(api, signal).catch((err: unknown) => {
        if (isRefused(err)) onRefused()
        throw err
      })
      return true
    },
    refetchInterval: everyMs,
  }
}

export const isRefused = (err: unknown): boolean => err instanceof AuthenticationError
