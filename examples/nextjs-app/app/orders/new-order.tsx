import type { SubmitEvent } from 'react'
import { textOf } from '../../lib/fields'

export function NewOrder({ onSubmit }: { onSubmit(customer: string): void }) {
  function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    onSubmit(textOf(new FormData(form), 'customer'))
    form.reset()
  }

  return (
    <form onSubmit={submit}>
      <label>
        Customer <input name="customer" required />
      </label>
      <button type="submit">Create</button>
    </form>
  )
}
