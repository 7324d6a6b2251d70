import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { ApiProvider } from '../api/api.ts'
import { openWatchedApi } from '../api/session/check-session.ts'
import { SignIn } from '../pages/sign-in/sign-in.tsx'
import { Loading } from '../parts/feedback/loading.tsx'
import { Toasts, useToasts } from '../parts/feedback/toasts.tsx'
import type { Session } from '../session/session.ts'
import { useCode, useKeeper, useSession } from '../session/session-context.tsx'
import { pageToKeep } from './pages/pages.ts'
import { Shell } from './shell/shell.tsx'

export function Root() {
  const state = useSession()
  const { state: code } = useCode()
  if (state.session !== null) return <SignedIn session={state.session} />
  if (code.status === 'pending') return <Loading label="Signing in" />
  return <SignIn reason={state.reason} codeError={code.status === 'failed' ? code.error : null} />
}

/** A refused code ends no session. */
function ReportCode() {
  const { state, forget } = useCode()
  const { failed } = useToasts()
  useEffect(() => {
    if (state.status !== 'failed') return
    failed('The one-time code did not sign you in', state.error)
    forget()
  }, [state, failed, forget])
  return null
}

/** Everything that a session read ends with it: each one has a cache of its own. */
function SignedIn({ session }: { session: Session }) {
  const queries = useMemo(() => newQueryClient(session), [session])
  const api = useMemo(() => openWatchedApi({ session }, queries), [session, queries])
  useEndOfSession(session, queries)
  return (
    <ApiProvider value={api}>
      <QueryClientProvider client={queries}>
        <Toasts>
          <ReportCode />
          <Shell session={session} />
        </Toasts>
      </QueryClientProvider>
    </ApiProvider>
  )
}

/**
 * The next user of this tab begins at a first page, not at a URL of this tenant. In another
 * environment, the same user stays on the page where that makes sense.
 */
function useEndOfSession(session: Session, queries: QueryClient): void {
  const keeper = useKeeper()
  const navigate = useNavigate()
  const { pathname } = useLocation()
  useEffect(
    () =>
      keeper.subscribe(() => {
        const next = keeper.current().session
        if (next === session) return
        queries.clear()
        const stays = next !== null && isSameUser(next, session)
        void navigate(stays ? pageToKeep(pathname, next.kind) : '/', { replace: !stays })
      }),
    [keeper, session, queries, navigate, pathname],
  )
}

const isSameUser = (a: Session, b: Session) => a.kind === b.kind && a.token === b.token

// The client of the API repeats what failed for a moment.
const newQueryClient = (_session: Session) =>
  new QueryClient({ defaultOptions: { queries: { retry: false } } })
