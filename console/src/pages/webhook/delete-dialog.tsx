import type { Subscription } from '@surehook/client'
import { useApi } from '../../api/api.ts'
import { countedAction } from '../../api/counted-action.ts'
import { useAction } from '../../api/use-action.ts'
import { countText, type RowCount, useCount } from '../../api/use-count.ts'
import { ConfirmDialog } from '../../parts/feedback/dialog.tsx'
import { useNavigateAfterCall } from '../../parts/navigation/use-is-here.ts'

type DeleteDialogProps = { webhook: Subscription; onClose: () => void }

const waiting = ['retrying', 'paused', 'pending'] as const

export function DeleteDialog({ webhook, onClose }: DeleteDialogProps) {
  const { surehook } = useApi()
  const navigate = useNavigateAfterCall()
  const counting = useCount(waiting.map((status) => ({ webhookId: webhook.id, status })))
  const deleting = useAction({
    run: () => surehook.webhooks.delete(webhook.id),
    done: () => 'Webhook deleted',
    changes: ['webhooks', 'deliveries', 'endpoints'],
    after: () => navigate('/webhooks'),
  })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title="Delete this webhook?"
      {...countedAction('Delete the webhook', counting)}
      isDangerous
      running={deleting}
      onConfirm={() => deleting.mutate()}
    >
      {webhook.name !== undefined && (
        <p className="breakable">
          <bdi>{webhook.name}</bdi>
        </p>
      )}
      <p className="breakable">{webhook.url} gets nothing from this webhook any more.</p>
      <WhatIsCancelled counting={counting} />
      <p>The history of its deliveries disappears from the console. This cannot be undone.</p>
    </ConfirmDialog>
  )
}

function WhatIsCancelled({ counting }: { counting: ReturnType<typeof useCount> }) {
  const { data, error } = counting
  return <p role="status">{data === undefined ? uncounted(error) : cancelledText(data)}</p>
}

const uncounted = (error: unknown) =>
  error === null
    ? 'Counting what waits for an attempt…'
    : 'Deliveries that wait for an attempt are cancelled. They could not be counted.'

const cancelledText = (counted: RowCount) =>
  counted.found === 0
    ? 'No delivery waits for an attempt.'
    : `This cancels ${countText(counted)} that still wait for an attempt.`
