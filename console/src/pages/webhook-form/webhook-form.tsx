import type { Violation } from '@surehook/client'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useColumns, useTableNames } from '../../api/queries.ts'
import { violationOf } from '../../parts/feedback/faults.ts'
import { FaultNotice } from '../../parts/feedback/notice.tsx'
import { FilterField } from '../../parts/filter/filter-field.tsx'
import { AreaField, CheckField, FieldGroup, TextField } from '../../parts/forms/field.tsx'
import { FormActions } from '../../parts/forms/form-actions.tsx'
import { TableNameField } from '../../parts/forms/table-name-field.tsx'
import { Card } from '../../parts/layout/page.tsx'
import { type Draft, operations } from './draft.ts'
import { PolicyField } from './policy/policy-field.tsx'
import { PreviewPanel } from './preview-panel.tsx'
import { PrivateAddressNotice } from './private-address-notice.tsx'
import { TestReceiverOffer } from './test-receiver-offer.tsx'
import { usePreview } from './use-preview.ts'
import './webhook-form.css'

type WebhookFormProps = {
  draft: Draft
  onChange: (draft: Draft) => void
  /** What the form, or the API, found wrong. */
  violations: readonly Violation[]
  saving: { isPending: boolean; error: unknown; label: string; run: () => void }
  back: string
  /** Fields that only one of the pages has. */
  secret?: ReactNode
}

export function WebhookForm(props: WebhookFormProps) {
  const { draft, onChange, saving, back, secret } = props
  const preview = usePreview(draft)
  const columns = useColumns(draft.table)
  const violations = distinct([...props.violations, ...preview.violations])
  const [isShowingAll, setShowingAll] = useState(draft.policy !== '' || draft.select !== '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    saving.run()
  }
  return (
    <div className="webhook-form">
      <form onSubmit={submit} noValidate>
        <Card>
          <div className="stack">
            <NameFields draft={draft} onChange={onChange} violations={violations} />
            <BasicFields draft={draft} onChange={onChange} violations={violations} />
            {secret}
            <FilterField
              value={draft.filter}
              onChange={(filter) => onChange({ ...draft, filter })}
              columns={columns}
              violations={violations}
              root="filter"
              empty="Without a condition, every change matches."
              hasChanges
            />
            <details
              open={isShowingAll}
              onToggle={(event) => setShowingAll(event.currentTarget.open)}
            >
              <summary>Fields, delivery policy and key</summary>
              <MoreFields draft={draft} onChange={onChange} violations={violations} />
            </details>
            {saving.error !== null && <FaultNotice error={saving.error} />}
            <FormActions action={saving.label} isPending={saving.isPending} back={back} />
          </div>
        </Card>
      </form>
      <PreviewPanel table={draft.table} {...preview} />
    </div>
  )
}

/** The preview and the save may say the same. */
const distinct = (violations: readonly Violation[]): readonly Violation[] => [
  ...new Map(violations.map((one) => [`${one.field} ${one.message}`, one])).values(),
]

// The API says what is wrong with a longer text that was pasted.
const longestName = 100
const longestDescription = 500

type FieldsProps = Pick<WebhookFormProps, 'draft' | 'onChange' | 'violations'>

function NameFields({ draft, onChange, violations }: FieldsProps) {
  return (
    <>
      <TextField
        label="Name"
        name="name"
        placeholder="Orders to accounting"
        maxLength={longestName}
        value={draft.name}
        onChange={(event) => onChange({ ...draft, name: event.target.value })}
        violation={violationOf(violations, 'name')}
        hint="Any text, for people. Without a name, lists show the URL."
      />
      <AreaField
        label="Description"
        name="description"
        rows={2}
        maxLength={longestDescription}
        value={draft.description}
        onChange={(event) => onChange({ ...draft, description: event.target.value })}
        violation={violationOf(violations, 'description')}
      />
    </>
  )
}

function BasicFields({ draft, onChange, violations }: FieldsProps) {
  const tables = useTableNames()
  return (
    <>
      <TableNameField
        name="table"
        tables={tables}
        value={draft.table}
        onName={(table) => onChange({ ...draft, table })}
        violation={violationOf(violations, 'table')}
        hint="It need not exist yet."
      />
      <FieldGroup label="Operations" violation={violationOf(violations, 'events')}>
        {operations.map((operation) => (
          <CheckField
            key={operation}
            label={operation}
            checked={draft.events.includes(operation)}
            onChange={(event) => onChange(withOperation(draft, operation, event.target.checked))}
          />
        ))}
      </FieldGroup>
      <TextField
        label="URL"
        name="url"
        type="url"
        inputMode="url"
        placeholder="https://example.com/webhooks"
        value={draft.url}
        onChange={(event) => onChange({ ...draft, url: event.target.value.trim() })}
        violation={violationOf(violations, 'url')}
      />
      <PrivateAddressNotice url={draft.url} />
      <TestReceiverOffer url={draft.url} onUrl={(url) => onChange({ ...draft, url })} />
    </>
  )
}

function withOperation(draft: Draft, operation: Draft['events'][number], isOn: boolean): Draft {
  const events = operations.filter((one) => (one === operation ? isOn : draft.events.includes(one)))
  return { ...draft, events }
}

function MoreFields({ draft, onChange, violations }: FieldsProps) {
  return (
    <div className="stack">
      <TextField
        label="Fields to deliver"
        name="select"
        placeholder="id, status, customer.name"
        value={draft.select}
        onChange={(event) => onChange({ ...draft, select: event.target.value })}
        violation={violationOf(violations, 'select')}
        hint="Separated by commas. Empty: all of them."
      />
      <PolicyField
        value={draft.policy}
        onChange={(policy) => onChange({ ...draft, policy })}
        violations={violations}
      />
      <TextField
        label="Key"
        name="key"
        placeholder="billing"
        value={draft.key}
        onChange={(event) => onChange({ ...draft, key: event.target.value.trim() })}
        violation={violationOf(violations, 'key')}
        hint={
          <>
            <code>surehook apply</code> finds the webhook by it. Unique in the environment.
          </>
        }
      />
    </div>
  )
}
