import { type FocusEvent, type KeyboardEvent, useRef, useState } from 'react'
import { Button } from '../forms/button.tsx'
import { Chips } from './chips.tsx'
import type { Scalar } from './model/model.ts'
import { chipText, type Kind, kindOf, valueAs } from './model/values.ts'
import { TypedControl } from './typed-control.tsx'
import { AnswerControl, KindControl, useKind } from './value-control.tsx'

type ListControlProps = {
  kinds: readonly Kind[]
  values: readonly Scalar[]
  /** The indexes of the values that are wrong. */
  wrong: readonly number[]
  describedBy: string | undefined
  onChange: (values: readonly Scalar[]) => void
}

/** Several values. What was typed last joins them with Enter, or when the focus leaves. */
export function ListControl({ kinds, values, wrong, describedBy, onChange }: ListControlProps) {
  const [usual = 'text'] = kinds
  const [next, setNext] = useState<Scalar>(() => valueAs(usual, ''))
  // Another column takes another kind of value.
  if (!kinds.includes(kindOf(next, kinds))) setNext(valueAs(usual, next))
  const control = useRef<HTMLDivElement>(null)
  const isChosen = next === null || typeof next === 'boolean'
  const add = () => {
    if (next === '') return
    onChange([...values, next])
    if (!isChosen) setNext('')
  }
  const leave = ({ relatedTarget }: FocusEvent) => {
    const isInside = relatedTarget instanceof Node && control.current?.contains(relatedTarget)
    // A choice is there without anyone's doing, so only the button adds it.
    if (isInside !== true && !isChosen) add()
  }
  const remove = (index: number) => {
    onChange(values.filter((_, place) => place !== index))
    control.current?.querySelector<HTMLElement>('.filter-next :is(select, input)')?.focus()
  }
  const texts = values.map((value) => chipText(value, kinds))
  return (
    <div className="filter-list" ref={control} onBlur={leave}>
      <Chips label="Values" texts={texts} wrong={wrong} onRemove={remove} />
      <NextValue
        kinds={kinds}
        value={next}
        describedBy={describedBy}
        onChange={setNext}
        onAdd={add}
      />
    </div>
  )
}

type NextValueProps = {
  kinds: readonly Kind[]
  value: Scalar
  describedBy: string | undefined
  onChange: (value: Scalar) => void
  onAdd: () => void
}

function NextValue({ kinds, value, describedBy, onChange, onAdd }: NextValueProps) {
  const [kind, choose] = useKind(kinds, value)
  const control = {
    className: 'control',
    'aria-label': 'Next value',
    'aria-describedby': describedBy,
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== 'Enter') return
      event.preventDefault()
      onAdd()
    },
  }
  return (
    <div className="filter-value filter-next">
      <KindControl
        kinds={kinds}
        kind={kind}
        onChange={(chosen) => {
          choose(chosen)
          onChange(valueAs(chosen, value))
        }}
      />
      {kind === 'boolean' && (
        <AnswerControl
          control={control}
          value={value}
          answers={['true', 'false']}
          onChange={onChange}
        />
      )}
      {kind !== 'boolean' && kind !== 'null' && (
        <TypedControl kind={kind} value={value} control={control} onChange={onChange} />
      )}
      <Button onClick={onAdd}>Add</Button>
    </div>
  )
}
