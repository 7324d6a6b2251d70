import { useApi } from '../../api/api.ts'
import { useAction } from '../../api/use-action.ts'
import { deliveryPath } from '../../parts/deliveries/delivery-path.ts'
import { ConfirmDialog } from '../../parts/feedback/dialog.tsx'
import { useNavigateAfterCall } from '../../parts/navigation/use-is-here.ts'

type RedeliverDialogProps = { delivery: { id: string; webhookId: string }; onClose: () => void }

/** Asks first: the receiver gets the delivery once more. */
export function RedeliverDialog({ delivery, onClose }: RedeliverDialogProps) {
  const { surehook } = useApi()
  const navigate = useNavigateAfterCall()
  const { id, webhookId } = delivery
  const sending = useAction({
    run: () => surehook.deliveries.redeliver(webhookId, id),
    done: () => 'Sent again, as a new delivery',
    changes: ['deliveries', 'webhooks', 'events'],
    after: ({ deliveryId }) => {
      onClose()
      void navigate(deliveryPath(webhookId, deliveryId))
    },
  })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title="Redeliver?"
      action="Redeliver"
      running={sending}
      onConfirm={() => sending.mutate()}
    >
      <p>
        The receiver gets the same bytes again, with the same <code>webhook-id</code>. A receiver
        that remembers ids ignores what it has already.
      </p>
    </ConfirmDialog>
  )
}
