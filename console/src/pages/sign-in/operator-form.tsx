import { useState } from 'react'
import { Button } from '../../parts/forms/button.tsx'
import { CheckField, TextField } from '../../parts/forms/field.tsx'
import { SignInFault } from './sign-in-fault.tsx'
import { type SignInFormProps, useSigningIn } from './use-signing-in.ts'

export function OperatorForm({ onSession }: SignInFormProps) {
  const [token, setToken] = useState('')
  const [keepInTab, setKeepInTab] = useState(false)
  const { error, isPending, run } = useSigningIn(() =>
    onSession({ kind: 'operator', token }, keepInTab),
  )
  return (
    <form className="stack" onSubmit={run}>
      <TextField
        label="Administration token"
        name="admin-token"
        type="password"
        required
        value={token}
        onChange={(event) => setToken(event.target.value.trim())}
        hint="npm start prints it. Elsewhere it is the PLATFORM_ADMIN_TOKEN of the services."
      />
      <CheckField
        label="Stay signed in when this tab reloads"
        checked={keepInTab}
        onChange={(event) => setKeepInTab(event.target.checked)}
      />
      {error !== null && <SignInFault error={error} />}
      <Button type="submit" look="primary" isPending={isPending}>
        Sign in
      </Button>
    </form>
  )
}
