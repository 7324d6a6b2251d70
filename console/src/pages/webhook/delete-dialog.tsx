import type { Subscription } from '@surehook/client'
import { useNavigate } from 'react-router'
import { useApi } from '../../api/api.ts'
import { useAction } from '../../api/use-action.ts'
import { countText, useCount } from '../../api/use-count.ts'
import { ConfirmDialog } from '../../parts/feedback/dialog.tsx'

type DeleteDialogProps = { webhook: Subscription; onClose: () => void }

const waiting = ['retrying', 'paused', 'pending'] as const

export function DeleteDialog({ webhook, onClose }: DeleteDialogProps) {
  const { surehook } = useApi()
  const navigate = useNavigate()
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
      action="Delete the webhook"
      isDangerous
      running={deleting}
      onConfirm={() => deleting.mutate()}
    >
      <p className="breakable">{webhook.url} gets nothing from this webhook any more.</p>
      <WhatIsCancelled webhookId={webhook.id} />
      <p>The history of its deliveries disappears from the console. This cannot be undone.</p>
    </ConfirmDialog>
  )
}

function WhatIsCancelled({ webhookId }: { webhookId: string }) {
  const { data, error } = useCount(waiting.map((status) => ({ webhookId, status })))
  if (error !== null) return <p>Deliveries that wait for an attempt are cancelled.</p>
  if (data === undefined) return <p role="status">Counting what waits for an attempt…</p>
  if (data.found === 0) return <p role="status">No delivery waits for an attempt.</p>
  return <p role="status">This cancels {countText(data)} that still wait for an attempt.</p>
}
