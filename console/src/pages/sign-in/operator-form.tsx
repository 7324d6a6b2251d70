import { useState } from 'react'
import { TextField } from '../../parts/forms/field.tsx'
import { SignInForm } from './sign-in-form.tsx'
import type { SignInProps } from './use-signing-in.ts'

export function OperatorForm({ onSession }: SignInProps) {
  const [token, setToken] = useState('')
  return (
    <SignInForm signIn={(keepInTab) => onSession({ kind: 'operator', token }, keepInTab)}>
      <TextField
        label="Administration token"
        name="admin-token"
        type="password"
        required
        value={token}
        onChange={(event) => setToken(event.target.value.trim())}
        hint="npm start prints it. Elsewhere it is the PLATFORM_ADMIN_TOKEN of the services."
      />
    </SignInForm>
  )
}
