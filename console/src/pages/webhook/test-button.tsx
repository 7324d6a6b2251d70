import type { Subscription } from '@surehook/client'
import { useApi } from '../../api/api.ts'
import { useAction } from '../../api/use-action.ts'
import { deliveryPath } from '../../parts/deliveries/delivery-path.ts'
import { Button } from '../../parts/forms/button.tsx'
import { useNavigateAfterCall } from '../../parts/navigation/use-is-here.ts'

/** Sends a test event and shows its delivery. */
export function TestButton({ webhook }: { webhook: Subscription }) {
  const { surehook } = useApi()
  const navigate = useNavigateAfterCall()
  const sending = useAction({
    run: () => surehook.webhooks.test(webhook.id),
    done: () => 'Test event sent',
    failed: 'The test event was not sent',
    changes: ['webhooks', 'deliveries'],
    after: ({ deliveryId }) => void navigate(deliveryPath(webhook.id, deliveryId)),
  })
  return (
    <Button isPending={sending.isPending} onClick={() => sending.mutate()}>
      Send a test
    </Button>
  )
}
