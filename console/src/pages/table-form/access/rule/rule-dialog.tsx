import type { Violation } from '@surehook/client'
import { everyUser } from '@surehook/contracts/http/data/owner-access'
import { useState } from 'react'
import {
  type Action,
  actions,
  type PlacedRule,
  type Rule,
} from '../../../../parts/data/access/access.ts'
import { Dialog } from '../../../../parts/feedback/dialog.tsx'
import { violationOf } from '../../../../parts/feedback/faults.ts'
import { FilterField } from '../../../../parts/filter/filter-field.tsx'
import { type Column, columnsOf } from '../../../../parts/filter/model/columns.ts'
import { Button } from '../../../../parts/forms/button.tsx'
import { CheckField, FieldGroup, SelectField } from '../../../../parts/forms/field.tsx'
import { JsonEditor } from '../../../../parts/forms/json-editor.tsx'
import { toggled } from '../../../../parts/forms/toggled.ts'
import { hasColumns, hasSet, type RuleDraft, ruleIn } from './rule-draft.ts'
import './rule-dialog.css'

type RuleDialogProps = {
  /** Null for a new rule. */
  before: PlacedRule | null
  start: RuleDraft
  roles: readonly string[]
  columns: readonly Column[]
  violations: readonly Violation[]
  onClose: () => void
  onDone: (placed: { action: Action; rule: Rule }) => void
}

/** The form of one rule. The table keeps it, and saves it with the rest. */
export function RuleDialog(props: RuleDialogProps) {
  const { before, start, roles, columns, onClose, onDone } = props
  const [draft, setDraft] = useState(start)
  const [isTried, setTried] = useState(false)
  const typed = ruleIn(draft)
  const violations = [...(isTried ? typed.violations : []), ...props.violations]
  const done = () => {
    setTried(true)
    if (typed.violations.length === 0) onDone({ action: draft.action, rule: typed.rule })
  }
  const fields = { draft, onChange: setDraft, violations }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={before === null ? 'New rule' : 'Rule'}
      actions={
        <Button look="primary" onClick={done}>
          Apply the rule
        </Button>
      }
    >
      <WhoFields {...fields} roles={roles} />
      <FilterField
        value={draft.where}
        onChange={(where) => setDraft({ ...draft, where })}
        columns={columnsOf({ columns })}
        violations={violations}
        root="where"
        empty={
          draft.action === 'create'
            ? 'Without a condition, any new record is allowed.'
            : 'Without a condition, the rule is for all records.'
        }
      />
      <p className="hint">
        A value may be <code>$user.id</code>, <code>$user.email</code>, <code>$user.roles</code> or
        an attribute of the user who calls, such as <code>$user.team</code>. Write <code>$$</code>{' '}
        for a text that begins with <code>$</code>.
      </p>
      {hasColumns(draft.action) && (
        <ColumnsField {...fields} names={columns.map(({ name }) => name)} />
      )}
      {hasSet(draft.action) && (
        <JsonEditor
          label="Values that the platform sets"
          value={draft.set}
          onChange={(set) => setDraft({ ...draft, set })}
          violation={violationOf(violations, 'set')}
          hint={
            <>
              Such as <code>{'{ "owner_id": "$user.id" }'}</code>. The role cannot send these
              columns.
            </>
          }
        />
      )}
    </Dialog>
  )
}

type FieldsProps = {
  draft: RuleDraft
  onChange: (draft: RuleDraft) => void
  violations: readonly Violation[]
}

function WhoFields({
  draft,
  onChange,
  violations,
  roles,
}: FieldsProps & { roles: readonly string[] }) {
  return (
    <div className="rule-who">
      <SelectField
        label="Role"
        value={draft.role}
        onChange={(event) => onChange({ ...draft, role: event.target.value })}
        violation={violationOf(violations, 'role')}
      >
        {roles.map((role) => (
          <option key={role} value={role}>
            {role === everyUser ? 'every user' : role}
          </option>
        ))}
      </SelectField>
      <SelectField
        label="May"
        value={draft.action}
        onChange={({ target }) => {
          const action = actions.find((one) => one === target.value)
          if (action !== undefined) onChange({ ...draft, action })
        }}
      >
        {actions.map((action) => (
          <option key={action}>{action}</option>
        ))}
      </SelectField>
    </div>
  )
}

function ColumnsField({ draft, onChange, violations, names }: FieldsProps & { names: string[] }) {
  const { columns, action } = draft
  // A rule may name a column that the table lacks.
  const shown = [...new Set([...names, ...(columns ?? [])])].filter((name) => name !== '')
  return (
    <FieldGroup
      label={action === 'read' ? 'Columns that the role sees' : 'Columns that the role may send'}
      violation={violationOf(violations, 'columns')}
      hint={
        action === 'read' && (
          <>
            <code>id</code>, <code>createdAt</code> and <code>updatedAt</code> are always shown.
          </>
        )
      }
    >
      <CheckField
        label="All, also those to come"
        checked={columns === null}
        onChange={() => onChange({ ...draft, columns: columns === null ? shown : null })}
      />
      {columns !== null &&
        shown.map((name) => (
          <CheckField
            key={name}
            label={<code>{name}</code>}
            checked={columns.includes(name)}
            onChange={() => onChange({ ...draft, columns: toggled(columns, name) })}
          />
        ))}
    </FieldGroup>
  )
}
