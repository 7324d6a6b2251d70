import { textOf } from '../../lib/fields'
import { browserAuth } from '../../lib/surehook'
import { AuthForm } from './auth-form'

type Props = { email: string; onSignedIn(): void }

export function CodeForm({ email, onSignedIn }: Props) {
  async function submit(fields: FormData): Promise<void> {
    await browserAuth().confirm({ email, code: textOf(fields, 'code') })
    onSignedIn()
  }

  return (
    <AuthForm title="Confirm your address" submit={submit}>
      <p>We sent a code to {email}.</p>
      <label>
        Code <input name="code" autoComplete="one-time-code" required />
      </label>
      <button type="submit">Confirm</button>
    </AuthForm>
  )
}
