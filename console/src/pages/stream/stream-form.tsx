import { type FormEvent, useState } from 'react'
import { Button } from '../../parts/forms/button.tsx'
import { SelectField, TextField } from '../../parts/forms/field.tsx'
import { TableNameField } from '../../parts/forms/table-name-field.tsx'
import { askedOf, emptyChoice, type StreamChoice } from './stream-choice.ts'
import './stream.css'

export function StreamForm({ onStart }: { onStart: (asked: string) => void }) {
  const [choice, setChoice] = useState<StreamChoice>(emptyChoice)
  const [isTried, setTried] = useState(false)
  const { asked, violation } = askedOf(choice)
  const change = (part: Partial<StreamChoice>) => setChoice({ ...choice, ...part })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (violation === undefined) onStart(asked)
  }
  return (
    <form className="stream-form" noValidate onSubmit={submit}>
      <TableNameField
        placeholder="all tables"
        value={choice.table}
        onName={(table) => change({ table })}
      />
      <SelectField
        label="From"
        value={choice.from}
        onChange={(event) => change({ from: event.target.value })}
      >
        <option value="">Now</option>
        <option value="1h">One hour ago</option>
        <option value="24h">One day ago</option>
        <option value="7d">Seven days ago</option>
      </SelectField>
      <TextField
        label="Filter"
        className="control mono"
        placeholder='{ "status": "paid" }'
        value={choice.filter}
        onChange={(event) => change({ filter: event.target.value })}
        violation={isTried ? violation : undefined}
      />
      <div className="stream-form-do">
        <Button type="submit" look="primary">
          Start
        </Button>
      </div>
    </form>
  )
}
