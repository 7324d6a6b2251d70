import type { Endpoint, Subscription } from '@surehook/client'
import { Badge } from '../../parts/data/status-badge.tsx'
import { Countdown } from '../../parts/data/time.tsx'

type WebhookStateProps = { webhook: Subscription; endpoint: Endpoint | undefined }

/** Whether deliveries go out, and what keeps them. */
export function WebhookState({ webhook, endpoint }: WebhookStateProps) {
  if (!webhook.active) {
    const isDisabled = webhook.disabledReason !== undefined
    return <Badge tone={isDisabled ? 'bad' : 'quiet'}>{isDisabled ? 'Disabled' : 'Inactive'}</Badge>
  }
  if (endpoint?.circuit === 'open') {
    return (
      <Badge tone="bad">
        Circuit open
        {endpoint.openUntil !== null && <Countdown until={endpoint.openUntil} />}
      </Badge>
    )
  }
  return <Badge tone="good">Active</Badge>
}
