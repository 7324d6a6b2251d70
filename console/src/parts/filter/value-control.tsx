import { type ReactNode, useState } from 'react'
import type { Scalar } from './model/model.ts'
import { isShownAs, type Kind, kindOf, valueAs } from './model/values.ts'
import { type ControlProps, TypedControl } from './typed-control.tsx'

type ValueControlProps = {
  kinds: readonly Kind[]
  value: Scalar
  /** What a boolean reads as. */
  answers: readonly [string, string]
  isWrong: boolean
  describedBy: string | undefined
  onChange: (value: Scalar) => void
}

/** One value, and its kind where more than one fits. */
export function ValueControl(props: ValueControlProps) {
  const { kinds, value, answers, isWrong, describedBy, onChange } = props
  const [kind, choose] = useKind(kinds, value)
  const offered = kinds.includes(kind) ? kinds : [...kinds, kind]
  const control: ControlProps = {
    className: 'control',
    'aria-label': 'Value',
    'aria-describedby': describedBy,
    'aria-invalid': isWrong || undefined,
  }
  return (
    <div className="filter-value">
      <KindControl
        kinds={offered}
        kind={kind}
        onChange={(next) => {
          choose(next)
          onChange(valueAs(next, value))
        }}
      />
      {kind === 'boolean' && (
        <AnswerControl control={control} value={value} answers={answers} onChange={onChange} />
      )}
      {kind !== 'boolean' && kind !== 'null' && (
        <TypedControl kind={kind} value={value} control={control} onChange={onChange} />
      )}
    </div>
  )
}

/** The kind that was chosen for the value, as long as it fits, or else the kind that it has. */
export function useKind(
  kinds: readonly Kind[],
  value: Scalar,
): readonly [Kind, (kind: Kind) => void] {
  const [chosen, setChosen] = useState<Kind | null>(null)
  const isChosen = chosen !== null && kinds.includes(chosen) && isShownAs(chosen, value)
  return [isChosen ? chosen : kindOf(value, kinds), setChosen]
}

const labels: Record<Kind, string> = {
  text: 'Text',
  number: 'Number',
  boolean: 'Boolean',
  time: 'Time',
  date: 'Date',
  null: 'Null',
}

type KindControlProps = { kinds: readonly Kind[]; kind: Kind; onChange: (kind: Kind) => void }

export function KindControl({ kinds, kind, onChange }: KindControlProps): ReactNode {
  if (kinds.length < 2) return null
  return (
    <select
      className="control filter-kind"
      aria-label="Kind of value"
      value={kind}
      onChange={(event) => onChange(event.target.value as Kind)}
    >
      {kinds.map((one) => (
        <option key={one} value={one}>
          {labels[one]}
        </option>
      ))}
    </select>
  )
}

type AnswerControlProps = {
  control: ControlProps
  value: Scalar
  answers: readonly [string, string]
  onChange: (value: Scalar) => void
}

export function AnswerControl({ control, value, answers, onChange }: AnswerControlProps) {
  return (
    <select
      {...control}
      value={String(value)}
      onChange={(event) => onChange(event.target.value === 'true')}
    >
      <option value="true">{answers[0]}</option>
      <option value="false">{answers[1]}</option>
    </select>
  )
}
