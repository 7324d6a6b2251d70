import { AuthError } from '@surehook/auth'
import { textOf } from '../../lib/fields'
import { browserAuth } from '../../lib/surehook'
import { AuthForm } from './auth-form'

type Credentials = { email: string; password: string }
type Props = { onSignedIn(): void; onUnconfirmed(email: string): void }

export function CredentialsForm({ onSignedIn, onUnconfirmed }: Props) {
  async function logIn({ email, password }: Credentials): Promise<void> {
    try {
      await browserAuth().login({ email, password })
      onSignedIn()
    } catch (err) {
      if (!(err instanceof AuthError) || err.code !== 'AUTH_EMAIL_NOT_VERIFIED') throw err
      await browserAuth().resendCode({ email })
      onUnconfirmed(email)
    }
  }

  async function signUp(credentials: Credentials): Promise<void> {
    await browserAuth().signup(credentials)
    const { emailVerification } = await browserAuth().settings()
    if (emailVerification) onUnconfirmed(credentials.email)
    else await logIn(credentials)
  }

  function submit(fields: FormData): Promise<void> {
    const credentials = { email: textOf(fields, 'email'), password: textOf(fields, 'password') }
    return textOf(fields, 'action') === 'signup' ? signUp(credentials) : logIn(credentials)
  }

  return (
    <AuthForm title="Log in" submit={submit}>
      <label>
        E-mail <input name="email" type="email" autoComplete="email" required />
      </label>
      <label>
        Password <input name="password" type="password" required />
      </label>
      <button type="submit">Log in</button>
      <button type="submit" name="action" value="signup">
        Sign up
      </button>
    </AuthForm>
  )
}
