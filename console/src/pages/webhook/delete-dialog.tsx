import type { Subscription } from '@surehook/client'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { useApi } from '../../api/api.ts'
import { useAction } from '../../api/use-action.ts'
import { plural } from '../../parts/data/numbers.ts'
import { ConfirmDialog } from '../../parts/feedback/dialog.tsx'

type DeleteDialogProps = { webhook: Subscription; onClose: () => void }

const counted = 1_000

export function DeleteDialog({ webhook, onClose }: DeleteDialogProps) {
  const { surehook } = useApi()
  const navigate = useNavigate()
  const open = useOpenDeliveries(webhook.id)
  const deleting = useAction({
    run: () => surehook.webhooks.delete(webhook.id),
    done: () => 'Webhook deleted',
    changes: ['webhooks', 'deliveries', 'endpoints'],
    after: () => void navigate('/webhooks'),
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
      <p role="status">{open}</p>
      <p>The history of its deliveries disappears from the console. This cannot be undone.</p>
    </ConfirmDialog>
  )
}

/** What is not sent any more if the webhook goes. */
function useOpenDeliveries(webhookId: string): string {
  const { surehook, keyOf } = useApi()
  const { data, error } = useQuery({
    queryKey: keyOf('deliveries', 'open', webhookId),
    queryFn: async ({ signal }) => {
      const asked = (['retrying', 'paused', 'pending'] as const).map((status) =>
        surehook.deliveries.search({ webhookId, status, limit: counted }, { signal }),
      )
      const pages = await Promise.all(asked)
      return {
        found: pages.reduce((sum, { deliveries }) => sum + deliveries.length, 0),
        isMore: pages.some(({ nextCursor }) => nextCursor !== null),
      }
    },
  })
  if (error !== null) return 'Deliveries that wait for an attempt are cancelled.'
  if (data === undefined) return 'Counting the deliveries that wait for an attempt…'
  if (data.found === 0) return 'No delivery waits for an attempt.'
  const number = plural(data.found, 'delivery', 'deliveries')
  return `This cancels ${data.isMore ? 'at least ' : ''}${number} that still wait for an attempt.`
}
