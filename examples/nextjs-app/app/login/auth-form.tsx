import { AuthError } from '@surehook/auth'
import { type ReactNode, type SubmitEvent, useState } from 'react'

type Props = { title: string; submit(fields: FormData): Promise<void>; children: ReactNode }

/** A form that says why its call was refused. */
export function AuthForm({ title, submit, children }: Props) {
  const [problem, setProblem] = useState('')

  function handle(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault()
    setProblem('')
    // With the button that was pressed.
    const fields = new FormData(event.currentTarget, event.nativeEvent.submitter)
    submit(fields).catch((err: unknown) => setProblem(reasonOf(err)))
  }

  return (
    <form onSubmit={handle}>
      <h1>{title}</h1>
      {children}
      <p role="alert">{problem}</p>
    </form>
  )
}

/** Each violation also names a rule, for texts of your own. */
function reasonOf(err: unknown): string {
  if (!(err instanceof AuthError)) return 'Something went wrong. Please try again.'
  const violations = err.violations.map(({ field, message }) => `${field} ${message}`)
  return violations.length > 0 ? violations.join(', ') : err.message
}
