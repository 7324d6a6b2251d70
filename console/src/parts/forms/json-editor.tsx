import { lazy, Suspense } from 'react'
import { Field } from './field.tsx'
import './json-editor.css'

// The editor is large, so pages without one do not load it.
const Editor = lazy(() => import('./code-mirror.tsx'))

type JsonEditorProps = {
  label: string
  hint?: string
  violation?: string | undefined
  value: string
  onChange: (text: string) => void
}

/** A field for JSON text, with its faults marked where they are. */
export function JsonEditor({ label, hint, violation, value, onChange }: JsonEditorProps) {
  return (
    <Field label={label} hint={hint} violation={violation}>
      {({ id, 'aria-invalid': isInvalid }) => (
        <div id={id} className="json-editor" data-invalid={isInvalid}>
          <Suspense fallback={<div className="json-editor-place" />}>
            <Editor label={label} value={value} onChange={onChange} />
          </Suspense>
        </div>
      )}
    </Field>
  )
}
