import type { UserAccount } from '@surehook/client'
import { type FormEvent, useState } from 'react'
import { useApi } from '../../api/api.ts'
import { useRoles } from '../../api/queries.ts'
import { useAction } from '../../api/use-action.ts'
import { faultOf, violationOf } from '../../parts/feedback/faults.ts'
import { FaultNotice } from '../../parts/feedback/notice.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { Button } from '../../parts/forms/button.tsx'
import { CheckField, FieldGroup } from '../../parts/forms/field.tsx'
import { toggled } from '../../parts/forms/toggled.ts'
import { Card } from '../../parts/layout/page.tsx'
import { NewRole } from './new-role.tsx'
import { choicesOf, isSame } from './role-choice.ts'

/** Tables grant access to roles. */
export function RolesCard({ user }: { user: UserAccount }) {
  const query = useRoles()
  return (
    <Card title="Roles">
      <div className="stack">
        <QueryView query={query}>
          {({ roles }) => <RolesForm user={user} defined={roles.map(({ name }) => name)} />}
        </QueryView>
        <NewRole />
      </div>
    </Card>
  )
}

function RolesForm({ user, defined }: { user: UserAccount; defined: readonly string[] }) {
  const { surehook } = useApi()
  const [roles, setRoles] = useState<readonly string[]>(user.roles)
  const saving = useAction({
    run: () => surehook.admin.users.update(user.id, { roles: [...roles] }),
    done: () => 'Roles changed',
    changes: ['users'],
  })
  const choices = choicesOf(defined, user.roles)
  if (choices.length === 0) return <p className="quiet">This environment has no roles yet.</p>
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isSame(roles, user.roles)) saving.mutate()
  }
  return (
    <form className="stack" noValidate onSubmit={submit}>
      <FieldGroup
        label="What the user may do"
        hint="The tables say what each role may do."
        violation={violationOf(faultOf(saving.error).violations, 'roles')}
      >
        {choices.map((role) => (
          <CheckField
            key={role}
            label={<code>{role}</code>}
            checked={roles.includes(role)}
            onChange={() => setRoles(toggled(roles, role))}
          />
        ))}
      </FieldGroup>
      {saving.error !== null && <FaultNotice error={saving.error} />}
      <div className="row">
        <Button type="submit" isPending={saving.isPending}>
          Save the roles
        </Button>
        {isSame(roles, user.roles) || <span className="quiet small">Not saved yet</span>}
      </div>
    </form>
  )
}
