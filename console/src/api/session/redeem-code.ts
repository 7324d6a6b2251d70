import { type ConsoleSession, Surehook } from '@surehook/client'
import type { Session } from '../../session/session.ts'

/** Exchanges a one-time code for the session that it opens. Rejects with the refusal. */
export async function redeemCode(code: string): Promise<Session> {
  const surehook = new Surehook({
    baseUrl: window.location.origin,
    projectId: '-',
    // The call needs none.
    token: '-',
    fetch: (input, init) => fetch(input, { ...init, credentials: 'omit', cache: 'no-store' }),
  })
  return sessionOf(await surehook.admin.consoleCodes.redeem(code))
}

function sessionOf({ kind, project, environment, token }: ConsoleSession): Session {
  if (kind === 'operator') return { kind, token }
  if (project === null || environment === null) throw new Error('The session names no project')
  return { kind, project, environment, token }
}
