import type { Subscription } from '@surehook/client'
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import { countedAction } from '../../api/counted-action.ts'
import { useAction } from '../../api/use-action.ts'
import { countedOutcome, countText, useCount } from '../../api/use-count.ts'
import { ConfirmDialog } from '../../parts/feedback/dialog.tsx'
import { SelectField } from '../../parts/forms/field.tsx'

type RecoverDialogProps = { webhooks: readonly Subscription[]; onClose: () => void }

const hourMs = 3_600_000
const spans = [
  [1, 'The last hour'],
  [24, 'The last 24 hours'],
  [168, 'The last 7 days'],
] as const

/** Sends the dead letters of some webhooks again, after it counted them. */
export function RecoverDialog({ webhooks, onClose }: RecoverDialogProps) {
  const { surehook } = useApi()
  const [until] = useState(() => Date.now())
  const [hours, setHours] = useState(24)
  const since = new Date(until - hours * hourMs).toISOString()
  const counting = useCount(
    webhooks.map(({ id }) => ({ webhookId: id, status: 'dead_letter', since })),
  )
  const { data, error } = counting
  const recovering = useAction({
    run: () => Promise.all(webhooks.map(({ id }) => surehook.webhooks.recover(id, { since }))),
    done: (answers) => {
      const found = answers.reduce((sum, { count }) => sum + count, 0)
      return `${countedOutcome(found, 'dead letter is', 'dead letters are')} sent again`
    },
    changes: ['webhooks', 'deliveries'],
    after: onClose,
  })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title="Send dead letters again?"
      {...countedAction('Send them again', counting)}
      running={recovering}
      onConfirm={() => recovering.mutate()}
    >
      <SelectField
        label="Made in"
        value={hours}
        onChange={(event) => setHours(Number(event.target.value))}
      >
        {spans.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
      <p role="status">
        {data !== undefined && `The history has ${countText(data)} that ended as dead letters.`}
        {data === undefined && (error === null ? 'Counting…' : 'They could not be counted.')}
      </p>
      <p>Those that were sent again already are left out. So are those whose body has expired.</p>
    </ConfirmDialog>
  )
}
