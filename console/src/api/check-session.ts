import { AuthenticationError, PermissionError } from '@surehook/client'
import type { Session } from '../app/session/session.ts'
import { openApi } from './api.ts'

/** Asks whether the token is valid. Rejects with the error of the API if it is not. */
export async function checkSession(session: Session): Promise<void> {
  const { surehook } = openApi({ session, onRefused: () => {} })
  if (session.kind === 'operator') {
    await surehook.admin.projects.list({ limit: 1 })
    return
  }
  await surehook.webhooks.list({ limit: 1 }).catch((err: unknown) => {
    // A valid token may have other rights than webhooks.
    if (!(err instanceof PermissionError)) throw err
  })
}

export const isRefused = (err: unknown): boolean => err instanceof AuthenticationError
