import { type ComponentProps, type ReactNode, useId } from 'react'
import './field.css'

type FieldProps = {
  label: string
  /** Something else on the page says it too. */
  isLabelHidden?: boolean
  hint?: ReactNode
  /** What is wrong with the value. */
  violation?: string | undefined
}

/** What a control needs so that its label, hint and violation belong to it. */
export type ControlProps = {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': true | undefined
}

/** A label above any control, its hint and its violation below. */
export function Field(props: FieldProps & { children: (control: ControlProps) => ReactNode }) {
  const { label, isLabelHidden = false, hint, violation, children } = props
  const id = useId()
  const [hintId, violationId] = [`${id}-hint`, `${id}-violation`]
  const described = [hint && hintId, violation && violationId].filter(Boolean).join(' ')
  const control: ControlProps = {
    id,
    'aria-describedby': described === '' ? undefined : described,
    'aria-invalid': violation === undefined ? undefined : true,
  }
  return (
    <div className="field">
      <label htmlFor={id} className={isLabelHidden ? 'visually-hidden' : undefined}>
        {label}
      </label>
      {children(control)}
      {violation !== undefined && (
        <p id={violationId} className="violation">
          {violation}
        </p>
      )}
      {hint !== undefined && (
        <p id={hintId} className="hint">
          {hint}
        </p>
      )}
    </div>
  )
}

export function TextField({
  label,
  hint,
  violation,
  ...input
}: FieldProps & ComponentProps<'input'>) {
  return (
    <Field label={label} hint={hint} violation={violation}>
      {(control) => (
        <input className="control" autoComplete="off" spellCheck={false} {...input} {...control} />
      )}
    </Field>
  )
}

/** Text of one or more lines. */
export function AreaField({
  label,
  hint,
  violation,
  ...area
}: FieldProps & ComponentProps<'textarea'>) {
  return (
    <Field label={label} hint={hint} violation={violation}>
      {(control) => <textarea className="control" {...area} {...control} />}
    </Field>
  )
}

export function SelectField({
  label,
  hint,
  violation,
  ...select
}: FieldProps & ComponentProps<'select'>) {
  return (
    <Field label={label} hint={hint} violation={violation}>
      {(control) => <select className="control" {...select} {...control} />}
    </Field>
  )
}

export function CheckField({ label, ...input }: { label: ReactNode } & ComponentProps<'input'>) {
  return (
    <label className="check-field">
      <input type="checkbox" {...input} />
      <span>{label}</span>
    </label>
  )
}

/** Several controls that answer one question. */
export function FieldGroup({
  label,
  hint,
  violation,
  children,
}: FieldProps & { children: ReactNode }) {
  const id = useId()
  return (
    <fieldset className="field" aria-describedby={violation === undefined ? undefined : id}>
      <legend>{label}</legend>
      <div className="row">{children}</div>
      {violation !== undefined && (
        <p id={id} className="violation">
          {violation}
        </p>
      )}
      {hint !== undefined && <p className="hint">{hint}</p>}
    </fieldset>
  )
}
