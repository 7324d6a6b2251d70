import type { Endpoint, Subscription, WebhookNumbers } from '@surehook/client'
import { deadLetterLevel } from '../../parts/data/dead-letter-level.ts'
import { Badge, type Tone } from '../../parts/data/status-badge.tsx'
import { CircuitBadge } from './circuit-badge.tsx'

type WebhookStateProps = {
  webhook: Subscription
  endpoint: Endpoint | undefined
  /** Of the last day, once they are read. */
  numbers: Pick<WebhookNumbers, 'counts'> | undefined
}

/** A webhook with many dead letters does not look healthy. */
const tones: Record<ReturnType<typeof deadLetterLevel>, [Tone, string]> = {
  ok: ['good', 'Active'],
  warn: ['warn', 'Dead letters'],
  wrong: ['bad', 'Dead letters'],
}

/** Whether deliveries go out, and what keeps them. */
export function WebhookState({ webhook, endpoint, numbers }: WebhookStateProps) {
  if (!webhook.active) {
    const isDisabled = webhook.disabledReason !== undefined
    return <Badge tone={isDisabled ? 'bad' : 'quiet'}>{isDisabled ? 'Disabled' : 'Inactive'}</Badge>
  }
  if (endpoint?.circuit === 'open') {
    return <CircuitBadge endpoint={endpoint} />
  }
  const [tone, text] = tones[numbers === undefined ? 'ok' : deadLetterLevel(numbers.counts)]
  return <Badge tone={tone}>{text}</Badge>
}
