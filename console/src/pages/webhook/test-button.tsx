import type { Subscription } from '@surehook/client'
import { useNavigate } from 'react-router'
import { useApi } from '../../api/api.ts'
import { useAction } from '../../api/use-action.ts'
import { deliveryPath } from '../../parts/deliveries/delivery-path.ts'
import { Button } from '../../parts/forms/button.tsx'

/** Sends a test event and shows its delivery. */
export function TestButton({ webhook }: { webhook: Subscription }) {
  const { surehook } = useApi()
  const navigate = useNavigate()
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
