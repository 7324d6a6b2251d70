import type { ReactNode } from 'react'
import { useState } from 'react'
import { Field } from '../field.tsx'
import { type Duration, durationOfSeconds, secondsOf, type Unit, units } from './duration.ts'
import './duration.css'

const [, ...secondsAndLonger] = units

type SecondsFieldProps = {
  label: string
  hint?: ReactNode
  violation?: string | undefined
  /** Seconds as text, empty for none. */
  value: string
  onChange: (seconds: string) => void
}

/** Seconds with a unit to choose. The unit stays while somebody types. */
export function SecondsField({ label, hint, violation, value, onChange }: SecondsFieldProps) {
  const [typed, setTyped] = useState(() => durationOfSeconds(value))
  const duration = secondsOf(typed) === value ? typed : durationOfSeconds(value)
  const change = (next: Duration) => {
    setTyped(next)
    onChange(secondsOf(next))
  }
  return (
    <Field label={label} hint={hint} violation={violation}>
      {(control) => (
        <div className="duration">
          <input
            {...control}
            className="control"
            inputMode="decimal"
            autoComplete="off"
            value={duration.amount}
            onChange={(event) => change({ ...duration, amount: event.target.value })}
          />
          <UnitSelect
            label={`Unit of ${label}`}
            value={duration.unit}
            onChange={(unit) => change({ ...duration, unit })}
          />
        </div>
      )}
    </Field>
  )
}

type UnitSelectProps = {
  label: string
  value: Unit
  onChange: (unit: Unit) => void
}

function UnitSelect({ label, value, onChange }: UnitSelectProps) {
  return (
    <select
      className="control"
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.target.value as Unit)}
    >
      {secondsAndLonger.map(([unit, name]) => (
        <option key={unit} value={unit}>
          {name}
        </option>
      ))}
    </select>
  )
}
