import type { Endpoint, Subscription } from '@surehook/client'
import { Badge } from '../../parts/data/status-badge.tsx'
import { CircuitBadge } from './circuit-badge.tsx'

type WebhookStateProps = { webhook: Subscription; endpoint: Endpoint | undefined }

/** Whether deliveries go out, and what keeps them. */
export function WebhookState({ webhook, endpoint }: WebhookStateProps) {
  if (!webhook.active) {
    const isDisabled = webhook.disabledReason !== undefined
    return <Badge tone={isDisabled ? 'bad' : 'quiet'}>{isDisabled ? 'Disabled' : 'Inactive'}</Badge>
  }
  if (endpoint?.circuit === 'open') {
    return <CircuitBadge endpoint={endpoint} />
  }
  return <Badge tone="good">Active</Badge>
}
