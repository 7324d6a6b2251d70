'use client'

import { AuthError } from '@surehook/auth'
import { useRouter } from 'next/navigation'
import { type FormEvent, useState } from 'react'
import { browserAuth } from '../../lib/surehook'

type Credentials = { email: string; password: string }

export default function LoginPage() {
  const router = useRouter()
  /** The address that waits for its mailed code. */
  const [unconfirmed, setUnconfirmed] = useState<string | null>(null)
  const [problem, setProblem] = useState('')

  const enter = () => router.replace('/orders')

  async function logIn({ email, password }: Credentials): Promise<void> {
    try {
      await browserAuth().login({ email, password })
      enter()
    } catch (err) {
      if (!(err instanceof AuthError) || err.code !== 'AUTH_EMAIL_NOT_VERIFIED') throw err
      await browserAuth().resendCode({ email })
      setUnconfirmed(email)
    }
  }

  async function signUp(credentials: Credentials): Promise<void> {
    await browserAuth().signup(credentials)
    const { emailVerification } = await browserAuth().settings()
    if (emailVerification) setUnconfirmed(credentials.email)
    else await logIn(credentials)
  }

  async function confirm(email: string, code: string): Promise<void> {
    await browserAuth().confirm({ email, code })
    enter()
  }

  /** Handles a form, and shows why it failed. */
  function handle(work: (fields: FormData, button: string) => Promise<void>) {
    return (event: FormEvent<HTMLFormElement>) => {
      event.preventDefault()
      setProblem('')
      const { submitter } = event.nativeEvent as SubmitEvent
      const button = submitter instanceof HTMLButtonElement ? submitter.value : ''
      work(new FormData(event.currentTarget), button).catch((err: unknown) => {
        setProblem(textOf(err))
      })
    }
  }

  if (unconfirmed !== null) {
    return (
      <form onSubmit={handle((fields) => confirm(unconfirmed, text(fields, 'code')))}>
        <h1>Confirm your address</h1>
        <p>We sent a code to {unconfirmed}.</p>
        <label>
          Code <input name="code" inputMode="numeric" autoComplete="one-time-code" required />
        </label>
        <button type="submit">Confirm</button>
        <p role="alert">{problem}</p>
      </form>
    )
  }
  const submit = handle((fields, button) => {
    const credentials = { email: text(fields, 'email'), password: text(fields, 'password') }
    return button === 'signup' ? signUp(credentials) : logIn(credentials)
  })
  return (
    <form onSubmit={submit}>
      <h1>Log in</h1>
      <label>
        E-mail <input name="email" type="email" autoComplete="email" required />
      </label>
      <label>
        Password <input name="password" type="password" required />
      </label>
      <button type="submit">Log in</button>
      <button type="submit" value="signup">
        Sign up
      </button>
      <p role="alert">{problem}</p>
    </form>
  )
}

const text = (fields: FormData, name: string) => String(fields.get(name) ?? '')

/** What the user reads. Each violation names a rule, for texts of your own. */
function textOf(err: unknown): string {
  if (!(err instanceof AuthError)) return 'Something went wrong. Please try again.'
  const violations = err.violations.map(({ field, message }) => `${field} ${message}`)
  return violations.length > 0 ? violations.join(', ') : err.message
}
