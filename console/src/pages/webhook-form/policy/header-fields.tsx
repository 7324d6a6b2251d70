import { useState } from 'react'
import { violationOf } from '../../../parts/feedback/faults.ts'
import { Button } from '../../../parts/forms/button.tsx'
import { FieldGroup } from '../../../parts/forms/field.tsx'
import { headersIn, type PolicyProps, withKey } from './policy-values.ts'

type Header = readonly [name: string, value: string]

/** Headers of the webhook's own. Those that are set are hidden: no answer has their values. */
export function HeaderFields({ policy, onChange, violations }: PolicyProps) {
  // While a name is typed it may be that of another header, which an object has only once.
  const [headers, setHeaders] = useState<readonly Header[]>(() => headersIn(policy))
  const set = (next: readonly Header[]) => {
    setHeaders(next)
    const given = next.filter(([name, value]) => name !== '' || value !== '')
    const value = given.length === 0 ? undefined : Object.fromEntries(given)
    onChange(withKey(policy, 'headers', value))
  }
  return (
    <FieldGroup
      label="Headers"
      hint="Sent with each attempt. They replace all headers that are set, whose values nobody can read."
      violation={violationOf(violations, 'policy.headers')}
    >
      <ul className="policy-rows">
        {headers.map((header, index) => (
          <HeaderRow
            // oxlint-disable-next-line react/no-array-index-key -- its name changes while it is typed
            key={index}
            number={index + 1}
            header={header}
            onChange={(next) => set(headers.with(index, next))}
            onRemove={() => set(headers.toSpliced(index, 1))}
          />
        ))}
      </ul>
      {headers.every(([name]) => name !== '') && (
        <Button icon="plus" onClick={() => set([...headers, ['', '']])}>
          Add a header
        </Button>
      )}
    </FieldGroup>
  )
}

type HeaderRowProps = {
  number: number
  header: Header
  onChange: (header: Header) => void
  onRemove: () => void
}

function HeaderRow({ number, header: [name, value], onChange, onRemove }: HeaderRowProps) {
  return (
    <li className="policy-row">
      <input
        className="control mono"
        aria-label={`Name of header ${number}`}
        placeholder="X-Api-Key"
        autoComplete="off"
        spellCheck={false}
        value={name}
        onChange={({ target }) => onChange([target.value, value])}
      />
      <input
        className="control mono"
        aria-label={`Value of header ${number}`}
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={({ target }) => onChange([name, target.value])}
      />
      <Button look="ghost" icon="close" onClick={onRemove}>
        <span className="visually-hidden">Remove header {number}</span>
      </Button>
    </li>
  )
}
