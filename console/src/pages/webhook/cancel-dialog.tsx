import type { Subscription } from '@surehook/client'
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import { countedAction } from '../../api/counted-action.ts'
import { useAction } from '../../api/use-action.ts'
import { countedOutcome, countText, useCount } from '../../api/use-count.ts'
import { ConfirmDialog } from '../../parts/feedback/dialog.tsx'
import { SelectField } from '../../parts/forms/field.tsx'

type CancelDialogProps = { webhook: Subscription; onClose: () => void }

/** Drops deliveries that wait, after it counted them. */
export function CancelDialog({ webhook, onClose }: CancelDialogProps) {
  const { surehook } = useApi()
  const [status, setStatus] = useState<'paused' | 'retrying'>('paused')
  const counting = useCount([{ webhookId: webhook.id, status }])
  const { data, error } = counting
  const cancelling = useAction({
    run: () => surehook.webhooks.cancel(webhook.id, { status }),
    done: ({ count }) => `${countedOutcome(count, 'delivery is', 'deliveries are')} cancelled`,
    changes: ['webhooks', 'deliveries', 'endpoints'],
    after: onClose,
  })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title="Cancel deliveries that wait?"
      {...countedAction('Cancel the deliveries', counting)}
      dismiss="Keep them"
      isDangerous
      running={cancelling}
      onConfirm={() => cancelling.mutate()}
    >
      <SelectField
        label="Which"
        value={status}
        onChange={(event) => setStatus(event.target.value === 'paused' ? 'paused' : 'retrying')}
      >
        <option value="paused">Paused until the webhook is active and its circuit is closed</option>
        <option value="retrying">Waiting for their next attempt</option>
      </SelectField>
      <p role="status">
        {data !== undefined && `This cancels ${countText(data)}. The receiver never gets them.`}
        {data === undefined && (error === null ? 'Counting…' : 'They could not be counted.')}
      </p>
    </ConfirmDialog>
  )
}
