import { SecondsField } from '../../parts/forms/duration/duration-field.tsx'
import { AreaField, CheckField, SelectField, TextField } from '../../parts/forms/field.tsx'
import type { SettingField } from './settings-fields.ts'

type SettingControlProps = {
  field: SettingField
  value: string
  onChange: (value: string) => void
  violation: string | undefined
}

export function SettingControl({ field, value, onChange, violation }: SettingControlProps) {
  const { label, kind, hint, choices } = field
  if (kind === 'flag') {
    return (
      <div>
        <CheckField
          label={label}
          checked={value === 'true'}
          onChange={({ target }) => onChange(target.checked ? 'true' : '')}
        />
        {violation !== undefined && <p className="violation">{violation}</p>}
      </div>
    )
  }
  if (kind === 'seconds') {
    return <SecondsField {...{ label, hint, value, onChange, violation }} />
  }
  if (choices !== undefined) {
    return (
      <SelectField
        label={label}
        value={value}
        onChange={({ target }) => onChange(target.value)}
        violation={violation}
      >
        {choices.map(([choice, words]) => (
          <option key={choice} value={choice}>
            {words}
          </option>
        ))}
      </SelectField>
    )
  }
  if (kind === 'json') {
    return (
      <AreaField
        {...{ label, hint, value, violation }}
        rows={value === '' ? 2 : 8}
        spellCheck={false}
        onChange={({ target }) => onChange(target.value)}
      />
    )
  }
  return (
    <TextField
      label={label}
      hint={hint}
      inputMode={kind === 'number' ? 'numeric' : 'text'}
      value={value}
      onChange={({ target }) => onChange(target.value)}
      violation={violation}
    />
  )
}
