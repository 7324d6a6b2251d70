import { createContext, use, useSyncExternalStore } from 'react'
import type { CodeSignIn, CodeState } from './code-sign-in.ts'
import type { SessionKeeper, SessionState } from './session.ts'

const SessionContext = createContext<SessionKeeper | null>(null)
export const SessionProvider = SessionContext.Provider

const CodeContext = createContext<CodeSignIn | null>(null)
export const CodeProvider = CodeContext.Provider

export function useKeeper(): SessionKeeper {
  const keeper = use(SessionContext)
  if (keeper === null) throw new Error('no session keeper')
  return keeper
}

export function useSession(): SessionState {
  const keeper = useKeeper()
  return useSyncExternalStore(keeper.subscribe, keeper.current)
}

type CodeView = { state: CodeState; forget: () => void }

/** The sign-in with a one-time code, if the address had one. */
export function useCode(): CodeView {
  const codes = use(CodeContext)
  if (codes === null) throw new Error('no sign-in by code')
  return { state: useSyncExternalStore(codes.subscribe, codes.current), forget: codes.forget }
}
