import type { ReactNode } from 'react'
import { Navigate } from 'react-router'
import { useApi } from '../api/api.ts'
import type { Session } from '../session/session.ts'
import { homeOf } from './pages/pages.ts'

/** Redirects a user who opens a page of another role to their own first page. */
export function OnlyFor({ kind, children }: { kind: Session['kind']; children: ReactNode }) {
  const { session } = useApi()
  return session.kind === kind ? children : <Navigate to={homeOf(session.kind)} replace />
}
