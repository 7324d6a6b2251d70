import type { Violation } from '@surehook/client'
import { violationOf } from '../../../parts/feedback/faults.ts'
import { Button } from '../../../parts/forms/button.tsx'
import { FormOrJson } from '../../../parts/forms/form-or-json.tsx'
import { JsonEditor } from '../../../parts/forms/json-editor.tsx'
import { type TableDraft, withOwner } from '../table-draft.ts'
import { accessIn, accessJson } from './access-draft.ts'
import { MatrixField } from './matrix-field.tsx'

type AccessFieldProps = {
  draft: TableDraft
  onChange: (draft: TableDraft) => void
  violations: readonly Violation[]
  /** Roles that were made a moment ago. */
  made: readonly string[]
  onNewRole: () => void
}

/** What users may do, by their role: as a matrix and rules, or as JSON. */
export function AccessField({ draft, onChange, violations, ...roles }: AccessFieldProps) {
  const access = accessIn(draft.access)
  const change = (text: string) => onChange({ ...draft, access: text })
  return (
    <div className="stack">
      <p className="quiet">
        Users may do what one of their roles may do. Management tokens with the right{' '}
        <code>records</code> may do everything.
      </p>
      <FormOrJson
        label="Access"
        form={
          access && (
            <MatrixField
              access={access}
              columns={draft.columns}
              onChange={(changed) => change(accessJson(changed))}
              violations={violations}
              {...roles}
            />
          )
        }
        json={
          <JsonEditor
            label="Access"
            isLabelHidden
            value={draft.access}
            onChange={change}
            violation={violationOf(violations, 'access')}
            hint="The roles and rules for read, create, update and delete."
          />
        }
      />
      <div className="stack-tight">
        <div>
          <Button onClick={() => onChange(withOwner(draft))}>Each user their own records</Button>
        </div>
        <p className="hint">
          Replaces the access: every user may create records, and read, change and delete those that
          they created. Adds the column <code>owner_id</code>, which Surehook sets. Users see no
          record whose <code>owner_id</code> is empty.
        </p>
      </div>
    </div>
  )
}
