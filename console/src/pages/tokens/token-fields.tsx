import type { Violation } from '@surehook/client'
import { violationOf } from '../../parts/feedback/faults.ts'
import { CheckField, FieldGroup, SelectField, TextField } from '../../parts/forms/field.tsx'
import { toggled } from '../../parts/forms/toggled.ts'
import { lifetimes, rights, type TokenDraft } from './token-draft.ts'

type TokenFieldsProps = {
  draft: TokenDraft
  environments: readonly string[]
  onChange: (draft: TokenDraft) => void
  violations: readonly Violation[]
}

export function TokenFields({ draft, environments, onChange, violations }: TokenFieldsProps) {
  return (
    <div className="stack">
      <TextField
        label="Name"
        hint="Who uses it, such as “deploy”"
        value={draft.name}
        onChange={({ target }) => onChange({ ...draft, name: target.value })}
        violation={violationOf(violations, 'name')}
      />
      <FieldGroup label="Rights" violation={violationOf(violations, 'rights')}>
        {rights.map((right) => (
          <CheckField
            key={right}
            label={right}
            checked={draft.rights.includes(right)}
            onChange={() => onChange({ ...draft, rights: toggled(draft.rights, right) })}
          />
        ))}
      </FieldGroup>
      <FieldGroup
        label="Environments"
        hint="None chosen: all of them, also later ones"
        violation={violationOf(violations, 'environments')}
      >
        {environments.map((name) => (
          <CheckField
            key={name}
            label={name}
            checked={draft.environments.includes(name)}
            onChange={() => onChange({ ...draft, environments: toggled(draft.environments, name) })}
          />
        ))}
      </FieldGroup>
      <SelectField
        label="Expires"
        value={draft.days}
        onChange={({ target }) => onChange({ ...draft, days: target.value })}
        violation={violationOf(violations, 'expiresAt')}
      >
        {lifetimes.map(([days, label]) => (
          <option key={days} value={days}>
            {days === 'never' ? label : `After ${label}`}
          </option>
        ))}
      </SelectField>
    </div>
  )
}
