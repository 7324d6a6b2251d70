import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { sessionQuery } from '../../api/session/check-session.ts'
import type { Session } from '../../session/session.ts'
import { useKeeper } from '../../session/session-context.tsx'

const refused = 'The token was refused. It was revoked, or it expired.'

/** Notices a revoked token also on a page that asks for nothing. */
export function useWatchedSession(session: Session): void {
  const keeper = useKeeper()
  const query = useMemo(
    () => sessionQuery({ session }, () => keeper.endOf(session, refused)),
    [session, keeper],
  )
  useQuery(query)
}
