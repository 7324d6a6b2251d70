import { type ComponentProps, useId } from 'react'
import { useTableNames } from '../../api/queries.ts'
import { TextField } from './field.tsx'

type TableNameProps = Omit<ComponentProps<typeof TextField>, 'label' | 'list' | 'onChange'> & {
  onName: (name: string) => void
}

/** The name of a table. It offers those that exist, and takes any other. */
export function TableNameField({ onName, ...field }: TableNameProps) {
  const tables = useTableNames()
  const list = useId()
  return (
    <>
      <TextField
        {...field}
        label="Table"
        list={list}
        onChange={(event) => onName(event.target.value.trim())}
      />
      <datalist id={list}>
        {tables.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </datalist>
    </>
  )
}
