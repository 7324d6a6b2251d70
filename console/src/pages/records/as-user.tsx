import { type FormEvent, useState } from 'react'
import { useAsUser } from '../../api/use-as-user.ts'
import { faultOf, violationOf } from '../../parts/feedback/faults.ts'
import { FaultNotice, Notice } from '../../parts/feedback/notice.tsx'
import { Button } from '../../parts/forms/button.tsx'
import { TextField } from '../../parts/forms/field.tsx'
import './as-user.css'

/** Says whose view the list is, or lets the reader choose a user. */
export function AsUser() {
  const { id, name, choose } = useAsUser()
  if (id === '') return <UserChoice action="See as user" />
  return (
    <Notice tone="warn" title={`You see what ${name} sees`}>
      <p>
        Records and columns that the rules do not show this user are missing. The audit trail has a
        line for each view.
      </p>
      <p>
        <Button onClick={() => choose('')}>See all records</Button>
      </p>
    </Notice>
  )
}

/** Finds a user by address, and puts the user into the URL. */
export function UserChoice({ action }: { action: string }) {
  const { finding } = useAsUser()
  const [email, setEmail] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    finding.mutate(email.trim())
  }
  const violation = violationOf(faultOf(finding.error).violations, 'email')
  const isUnknown = finding.data?.users.length === 0 && finding.variables === email.trim()
  return (
    <>
      <form className="as-user" noValidate onSubmit={submit}>
        <TextField
          label="User"
          placeholder="the whole e-mail address"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
          violation={isUnknown ? 'No user has this address' : violation}
        />
        <Button type="submit" isPending={finding.isPending}>
          {action}
        </Button>
      </form>
      {finding.error !== null && violation === undefined && <FaultNotice error={finding.error} />}
    </>
  )
}
