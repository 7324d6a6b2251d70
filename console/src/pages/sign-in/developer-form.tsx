import { useState } from 'react'
import { Command } from '../../parts/feedback/empty-state.tsx'
import { Button } from '../../parts/forms/button.tsx'
import { CheckField, TextField } from '../../parts/forms/field.tsx'
import { SignInFault } from './sign-in-fault.tsx'
import { type SignInFormProps, useSigningIn } from './use-signing-in.ts'

export function DeveloperForm({ onSession }: SignInFormProps) {
  const [project, setProject] = useState('')
  const [environment, setEnvironment] = useState('master')
  const [token, setToken] = useState('')
  const [keepInTab, setKeepInTab] = useState(false)
  const { error, isPending, run } = useSigningIn(() =>
    onSession({ kind: 'developer', project, environment, token }, keepInTab),
  )
  return (
    <form className="stack" onSubmit={run}>
      <TextField
        label="Project"
        name="project"
        required
        placeholder="shop"
        value={project}
        onChange={(event) => setProject(event.target.value.trim())}
      />
      <TextField
        label="Environment"
        name="environment"
        required
        value={environment}
        onChange={(event) => setEnvironment(event.target.value.trim())}
      />
      <TextField
        label="Management token"
        name="token"
        type="password"
        required
        value={token}
        onChange={(event) => setToken(event.target.value.trim())}
        hint="It stays in this tab until you leave or reload the page, unless you check the box."
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
      <details className="sign-in-help">
        <summary>Get a management token</summary>
        <div className="stack-tight">
          <p>The operator of Surehook makes one for your project:</p>
          <Command text={tokenCommand(project === '' ? 'shop' : project)} />
        </div>
      </details>
    </form>
  )
}

const tokenCommand = (project: string) =>
  [
    `curl -X POST ${window.location.origin}/auth/admin/projects/${project}/management-tokens \\`,
    `  -H "Authorization: Bearer $ADMIN_TOKEN" \\`,
    `  -H 'Content-Type: application/json' -d '{ "name": "console" }'`,
  ].join('\n')
