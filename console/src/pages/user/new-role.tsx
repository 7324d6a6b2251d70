import { type FormEvent, useState } from 'react'
import { useApi } from '../../api/api.ts'
import { useAction } from '../../api/use-action.ts'
import { faultOf, violationOf } from '../../parts/feedback/faults.ts'
import { FaultNotice } from '../../parts/feedback/notice.tsx'
import { Button } from '../../parts/forms/button.tsx'
import { TextField } from '../../parts/forms/field.tsx'

/** A role must exist before a user can get it. */
export function NewRole({ onCreated }: { onCreated?: (name: string) => void }) {
  const { surehook } = useApi()
  const [name, setName] = useState('')
  const creating = useAction({
    run: () => surehook.admin.roles.create({ name }),
    done: () => `Role ${name} created`,
    changes: ['roles'],
    after: (role) => {
      setName('')
      onCreated?.(role.name)
    },
  })
  const { violations } = faultOf(creating.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    creating.mutate()
  }
  return (
    <form className="stack" noValidate onSubmit={submit}>
      <TextField
        label="New role"
        value={name}
        onChange={(event) => setName(event.target.value.trim())}
        violation={violationOf(violations, 'name')}
      />
      {creating.error !== null && violations.length === 0 && <FaultNotice error={creating.error} />}
      <div>
        <Button type="submit" icon="plus" isPending={creating.isPending}>
          Create the role
        </Button>
      </div>
    </form>
  )
}
