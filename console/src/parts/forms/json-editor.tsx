import { lazy, type ReactNode, Suspense } from 'react'
import type { EditorMark } from './editor-mark.ts'
import { Field } from './field.tsx'
import './json-editor.css'

// The editor is large, so pages without one do not load it.
const Editor = lazy(() => import('./code-mirror.tsx'))

type JsonEditorProps = {
  label: string
  /** Something else on the page says it too. */
  isLabelHidden?: boolean
  hint?: ReactNode
  marks?: readonly EditorMark[]
  violation?: string | undefined
  value: string
  onChange: (text: string) => void
}

const noMarks: readonly EditorMark[] = []

/** A field for JSON text, with its faults marked where they are. */
export function JsonEditor(props: JsonEditorProps) {
  const { label, isLabelHidden = false, hint, marks = noMarks, violation, value, onChange } = props
  return (
    <Field label={label} isLabelHidden={isLabelHidden} hint={hint} violation={violation}>
      {({ id, 'aria-invalid': isInvalid = marks.length > 0 || undefined }) => (
        <div id={id} className="json-editor" data-invalid={isInvalid}>
          <Suspense fallback={<div className="json-editor-place" />}>
            <Editor label={label} value={value} marks={marks} onChange={onChange} />
          </Suspense>
        </div>
      )}
    </Field>
  )
}
