import { PreconditionFailedError } from '@surehook/client'
import { type FormEvent, useState } from 'react'
import { faultOf, violationOf } from '../../parts/feedback/faults.ts'
import { FaultNotice } from '../../parts/feedback/notice.tsx'
import { FormActions } from '../../parts/forms/form-actions.tsx'
import { JsonEditor } from '../../parts/forms/json-editor.tsx'
import { Card } from '../../parts/layout/page.tsx'
import { fieldsIn } from './record-text.ts'

type RecordEditorProps = {
  title: string
  start: string
  hint: string
  saving: { isPending: boolean; error: unknown; mutate: (fields: Record<string, unknown>) => void }
  action: string
  back?: string
  /** Loads the record again after somebody else changed it. What was typed is lost. */
  reload?: () => void
}

/** The fields of a record as JSON, as the API takes them. */
export function RecordEditor(props: RecordEditorProps) {
  const { title, start, hint, saving, action, back, reload } = props
  const [text, setText] = useState(start)
  const [isTried, setTried] = useState(false)
  const { fields, violations: typed } = fieldsIn(text)
  const refused = faultOf(saving.error).violations[0]
  const isOutdated = saving.error instanceof PreconditionFailedError
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (typed.length === 0) saving.mutate(fields)
  }
  return (
    <Card title={title}>
      <form className="stack" onSubmit={submit} noValidate>
        <JsonEditor
          label="Fields as JSON"
          value={text}
          onChange={setText}
          hint={hint}
          violation={
            violationOf(isTried ? typed : [], 'record') ??
            (refused && `${refused.field} ${refused.message}`)
          }
        />
        {saving.error !== null && (
          <FaultNotice
            error={saving.error}
            retry={isOutdated ? reload : undefined}
            retryLabel="Load the current record"
          />
        )}
        <FormActions action={action} isPending={saving.isPending} back={back} />
      </form>
    </Card>
  )
}
