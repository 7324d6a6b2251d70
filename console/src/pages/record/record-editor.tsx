import { PreconditionFailedError, type Table, type Violation } from '@surehook/client'
import { type FormEvent, useState } from 'react'
import { faultOf, violationOf } from '../../parts/feedback/faults.ts'
import { FaultNotice } from '../../parts/feedback/notice.tsx'
import { FormActions } from '../../parts/forms/form-actions.tsx'
import { FormOrJson } from '../../parts/forms/form-or-json.tsx'
import { JsonEditor } from '../../parts/forms/json-editor.tsx'
import { jsonObjectIn } from '../../parts/forms/json-object.ts'
import { Card } from '../../parts/layout/page.tsx'
import { RecordFields } from './record-fields.tsx'
import { fieldsIn } from './record-text.ts'

type RecordEditorProps = {
  columns: Table['columns']
  start: string
  /** Below the form and the JSON. */
  hint?: string
  saving: { isPending: boolean; error: unknown; mutate: (fields: Record<string, unknown>) => void }
  action: string
  back?: string
  /** Loads the record again after somebody else changed it. What was typed is lost. */
  reload?: () => void
  isNew?: boolean
}

/** The fields of a record as a form or as JSON. The JSON is what the API takes. */
export function RecordEditor(props: RecordEditorProps) {
  const { columns, start, hint, saving, action, back, reload, isNew = false } = props
  const [text, setText] = useState(start)
  const [broken, setBroken] = useState<ReadonlySet<string>>(new Set())
  const [isTried, setTried] = useState(false)
  const { fields, violations: typed } = fieldsIn(text)
  const refused = faultOf(saving.error).violations
  const isOutdated = saving.error instanceof PreconditionFailedError
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (typed.length === 0 && broken.size === 0) saving.mutate(fields)
  }
  const onBroken = (name: string, isBroken: boolean) => {
    const others = [...broken].filter((one) => one !== name)
    setBroken(new Set(isBroken ? [...others, name] : others))
  }
  const form = 'value' in jsonObjectIn(text) && (
    <RecordFields
      columns={columns}
      fields={fields}
      onChange={(next) => setText(JSON.stringify(next, null, 2))}
      violations={[...[...broken].map(notJson), ...refused]}
      onBroken={onBroken}
      isNew={isNew}
    />
  )
  return (
    <Card>
      <form className="stack" onSubmit={submit} noValidate>
        <FormOrJson
          label="Fields"
          form={form || null}
          json={
            <JsonEditor
              label="Fields as JSON"
              isLabelHidden
              value={text}
              onChange={(next) => {
                setText(next)
                setBroken(new Set())
              }}
              violation={violationOf(isTried ? typed : [], 'record') ?? firstOf(refused)}
            />
          }
        />
        {hint !== undefined && <p className="hint">{hint}</p>}
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

const notJson = (field: string): Violation => ({ field, message: 'is not JSON' })

const firstOf = ([first]: readonly Violation[]) => first && `${first.field} ${first.message}`
