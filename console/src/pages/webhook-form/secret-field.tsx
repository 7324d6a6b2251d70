import { Button } from '../../parts/forms/button.tsx'
import { CopyButton } from '../../parts/forms/copy-button.tsx'
import { TextField } from '../../parts/forms/field.tsx'
import { newSecret } from './new-secret.ts'

type SecretFieldProps = {
  label?: string
  value: string
  onChange: (secret: string) => void
  violation?: string | undefined
}

export function SecretField({
  label = 'Signing secret',
  value,
  onChange,
  violation,
}: SecretFieldProps) {
  return (
    <div className="stack-tight">
      <TextField
        label={label}
        name="secret"
        className="control mono"
        value={value}
        onChange={(event) => onChange(event.target.value.trim())}
        violation={violation}
        hint="Your receiver verifies deliveries with it. Copy it now: nobody can read it later."
      />
      <div className="row">
        <Button onClick={() => onChange(newSecret())}>Make a new one</Button>
        {value !== '' && <CopyButton text={value} label="Copy the secret" />}
      </div>
    </div>
  )
}
