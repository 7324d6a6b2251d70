import { type ReactNode, useState } from 'react'
import { Button } from '../../parts/forms/button.tsx'
import { CheckField } from '../../parts/forms/field.tsx'
import { SignInFault } from './sign-in-fault.tsx'
import { useSigningIn } from './use-signing-in.ts'

type SignInFormProps = {
  signIn: (keepInTab: boolean) => Promise<void>
  /** The fields that name the user and the token. */
  children: ReactNode
  help?: ReactNode
}

export function SignInForm({ signIn, children, help }: SignInFormProps) {
  const [keepInTab, setKeepInTab] = useState(false)
  const { error, isPending, run } = useSigningIn(() => signIn(keepInTab))
  return (
    <form className="stack" onSubmit={run}>
      {children}
      <CheckField
        label="Stay signed in when this tab reloads"
        checked={keepInTab}
        onChange={(event) => setKeepInTab(event.target.checked)}
      />
      {error !== null && <SignInFault error={error} />}
      <Button type="submit" look="primary" isPending={isPending}>
        Sign in
      </Button>
      {help}
    </form>
  )
}
