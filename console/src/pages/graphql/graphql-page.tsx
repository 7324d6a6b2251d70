import { type FormEvent, useState } from 'react'
import { useSearchParams } from 'react-router'
import { SelectField, TextField } from '../../parts/forms/field.tsx'
import { ApiFrame } from '../api/api-frame.tsx'
import { type AskingUser, endpointOf, endpoints } from './endpoints.ts'
import { Explorer } from './explorer.tsx'
import './graphql.css'

/**
 * Tries operations on the GraphQL endpoints, as GraphiQL does. GraphiQL itself does not work under
 * the content security policy of the console, which allows no inline style and no data: URL.
 * Measured in Chromium under this policy, from opening to the first answer:
 *
 * - GraphiQL 5.4.0 edits with Monaco, which writes a style attribute into each line that it draws:
 *   85 refusals at 1440 px. Its scripts have 1,735 kB compressed.
 * - GraphiQL 4.1.2, the last with CodeMirror 5, lost 34 fonts in data: URLs and the style element
 *   of its dialogs. Axe found 16 faults, such as fields without a label. At 360 px the result lies
 *   outside the screen. Its queries stay in the storage of the browser by default.
 *
 * @see https://github.com/microsoft/monaco-editor/issues/271
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

/** Ignores half a token: a token counts once the field loses the focus, or after Enter. */
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
