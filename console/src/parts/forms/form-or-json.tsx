import { type ReactNode, useId, useState } from 'react'
import { Segments } from './segments.tsx'
import './form-or-json.css'

type FormOrJsonProps = {
  label: string
  /** Null if the form cannot show the JSON. */
  form: ReactNode | null
  json: ReactNode
}

const views = [
  { id: 'form', label: 'Form' },
  { id: 'json', label: 'JSON' },
] as const

/** Two views of one JSON text. The form is first, unless it cannot show the text. */
export function FormOrJson({ label, form, json }: FormOrJsonProps) {
  const id = useId()
  const [isJson, setJson] = useState(false)
  // Once there, typing JSON that fits the form must not close the editor.
  if (form === null && !isJson) setJson(true)
  return (
    <section className="form-or-json" aria-labelledby={id}>
      <div className="form-or-json-head">
        <p id={id}>{label}</p>
        <Segments
          label={`View of ${label.toLowerCase()}`}
          options={views}
          value={isJson ? 'json' : 'form'}
          disabled={form === null ? ['form'] : []}
          onChange={(view) => setJson(view === 'json')}
        />
      </div>
      {isJson || form === null ? json : form}
    </section>
  )
}
