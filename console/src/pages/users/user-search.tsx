import { type FormEvent, useState } from 'react'
import { useSearchParams } from 'react-router'
import { Button } from '../../parts/forms/button.tsx'
import { TextField } from '../../parts/forms/field.tsx'
import { searchFor } from './user-query.ts'
import './users.css'

/** Finds one user. The API compares whole addresses. */
export function UserSearch({ start, violation }: { start: string; violation: string | undefined }) {
  const [, setParams] = useSearchParams()
  const [email, setEmail] = useState(start)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setParams(searchFor(email))
  }
  return (
    <form className="user-search" role="search" noValidate onSubmit={submit}>
      <TextField
        label="E-mail address"
        placeholder="the whole address"
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        violation={violation}
      />
      <div className="user-search-do">
        <Button type="submit">Find</Button>
        {start !== '' && (
          <Button look="ghost" onClick={() => setParams({})}>
            Clear the filters
          </Button>
        )}
      </div>
    </form>
  )
}
