import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { Command } from '../../parts/feedback/empty-state.tsx'
import { TextField } from '../../parts/forms/field.tsx'
import { tenantIn } from '../../parts/layout/tenant-target.ts'
import { SignInForm } from './sign-in-form.tsx'
import type { SignInProps } from './use-signing-in.ts'

export function DeveloperForm({ onSession }: SignInProps) {
  const [params] = useSearchParams()
  const [project, setProject] = useState(tenantIn(params).project)
  const [environment, setEnvironment] = useState(tenantIn(params).environment)
  const [token, setToken] = useState('')
  const signIn = (keepInTab: boolean) =>
    onSession({ kind: 'developer', project, environment, token }, keepInTab)
  return (
    <SignInForm signIn={signIn} help={<TokenHelp project={project === '' ? 'shop' : project} />}>
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
    </SignInForm>
  )
}

function TokenHelp({ project }: { project: string }) {
  return (
    <details className="sign-in-help">
      <summary>Get a management token</summary>
      <div className="stack-tight">
        <p>
          The operator of Surehook makes one for your project: here, signed in under “Operator”, or
          with this command.
        </p>
        <Command text={tokenCommand(project)} />
      </div>
    </details>
  )
}

const tokenCommand = (project: string) =>
  [
    `curl -X POST ${window.location.origin}/auth/admin/projects/${project}/management-tokens \\`,
    `  -H "Authorization: Bearer $ADMIN_TOKEN" \\`,
    `  -H 'Content-Type: application/json' -d '{ "name": "console" }'`,
  ].join('\n')
