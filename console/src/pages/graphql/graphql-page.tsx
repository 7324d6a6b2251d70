import { type FormEvent, useState } from 'react'
import { useSearchParams } from 'react-router'
import { SelectField, TextField } from '../../parts/forms/field.tsx'
import { ApiFrame } from '../api/api-frame.tsx'
import { type AskingUser, endpointOf, endpoints } from './endpoints.ts'
import { Explorer } from './explorer.tsx'
import './graphql.css'

/**
 * Tries operations on the GraphQL endpoints. It does the work of GraphiQL, which does not work under
 * the content security policy of the console:
 *
 * - GraphiQL 5 and 6 edit with Monaco, which writes style attributes into each line that it draws.
 */
export function Page() {
  const [params, setParams] = useSearchParams()
  const [user, setUser] = useState<AskingUser>({ token: '', version: 0 })
  const endpoint = endpointOf(params.get('endpoint'))
  const ask = (token: string) =>
    setUser((before) => (before.token === token ? before : { token, version: before.version + 1 }))
  return (
    <ApiFrame title="GraphQL">
      <div className="graphql-choice">
        <SelectField
          label="Endpoint"
          value={endpoint.id}
          onChange={(event) => setParams({ endpoint: event.target.value })}
          hint={user.token === '' ? endpoint.sends : 'Sends the access token of the user.'}
        >
          {endpoints.map(({ id, title, path }) => (
            <option key={id} value={id}>
              {title}: {path}
            </option>
          ))}
        </SelectField>
        <UserTokenField onChange={ask} />
      </div>
      <Explorer key={`${endpoint.id} ${user.version}`} endpoint={endpoint} user={user} />
    </ApiFrame>
  )
}

/** Half a token asks nothing: it counts once the field is left, or after Enter. */
function UserTokenField({ onChange }: { onChange: (token: string) => void }) {
  const [typed, setTyped] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onChange(typed.trim())
  }
  return (
    <form onSubmit={submit}>
      <TextField
        type="password"
        label="Access token of a user (optional)"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={() => onChange(typed.trim())}
        hint="Asks as this user. The token stays in this page."
      />
    </form>
  )
}
