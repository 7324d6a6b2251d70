import { type FormEvent, useState } from 'react'
import type { Session } from '../../session/session.ts'

/** Runs the sign-in of a form. After a success the form is gone. */
export function useSigningIn(signIn: () => Promise<void>) {
  const [isPending, setPending] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const run = (event: FormEvent) => {
    event.preventDefault()
    setPending(true)
    setError(null)
    signIn().catch((err: unknown) => {
      setError(err)
      setPending(false)
    })
  }
  return { isPending, error, run }
}

export type SignInProps = { onSession: (session: Session, keepInTab: boolean) => Promise<void> }
