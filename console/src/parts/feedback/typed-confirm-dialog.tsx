import { type ComponentProps, useState } from 'react'
import { TextField } from '../forms/field.tsx'
import { ConfirmDialog } from './dialog.tsx'

type TypedConfirmProps = Omit<ComponentProps<typeof ConfirmDialog>, 'isDangerous'> & {
  /** What must be typed. */
  name: string
}

/** Asks for the name of what goes, because much goes with it. */
export function TypedConfirmDialog({ name, onConfirm, children, ...dialog }: TypedConfirmProps) {
  const [typed, setTyped] = useState('')
  const [isTried, setTried] = useState(false)
  const confirm = () => (typed === name ? onConfirm() : setTried(true))
  return (
    <ConfirmDialog {...dialog} isDangerous onConfirm={confirm}>
      {children}
      <TextField
        label={`Type ${name} to confirm`}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        violation={isTried && typed !== name ? `must be ${name}` : undefined}
      />
    </ConfirmDialog>
  )
}
