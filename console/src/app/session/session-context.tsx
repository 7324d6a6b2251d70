import { createContext, use, useSyncExternalStore } from 'react'
import type { SessionKeeper, SessionState } from './session.ts'

const SessionContext = createContext<SessionKeeper | null>(null)
export const SessionProvider = SessionContext.Provider

export function useKeeper(): SessionKeeper {
  const keeper = use(SessionContext)
  if (keeper === null) throw new Error('no session keeper')
  return keeper
}

export function useSession(): SessionState {
  const keeper = useKeeper()
  return useSyncExternalStore(keeper.subscribe, keeper.current)
}
