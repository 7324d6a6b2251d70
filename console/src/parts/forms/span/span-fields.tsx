import { SelectField, TextField } from '../field.tsx'
import { type SpanChoice, spans } from './span.ts'

type SpanFieldsProps = {
  choice: SpanChoice
  onChange: (part: Partial<SpanChoice>) => void
  faultAt: (field: string) => string | undefined
}

/** Asks for a span of the log. */
export function SpanFields({ choice, onChange, faultAt }: SpanFieldsProps) {
  const isOwn = choice.within === 'own'
  return (
    <>
      <SelectField
        label="Changes of"
        value={choice.within}
        onChange={({ target }) => onChange({ within: target.value, from: '', until: '' })}
        violation={isOwn ? undefined : faultAt('from')}
      >
        {spans.map(([name, label]) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </SelectField>
      {isOwn && (
        <div className="columns">
          {(['from', 'until'] as const).map((name) => (
            <TextField
              key={name}
              label={name === 'from' ? 'From' : 'Until'}
              hint={name === 'from' ? 'At most 7 days ago, in your time zone' : 'Empty: now'}
              type="datetime-local"
              step={1}
              value={choice[name]}
              onChange={({ target }) => onChange({ [name]: target.value })}
              violation={faultAt(name)}
            />
          ))}
        </div>
      )}
    </>
  )
}
