import type { Endpoint } from '@surehook/client'
import { Badge } from '../../parts/data/status-badge.tsx'
import { Countdown } from '../../parts/data/time/time.tsx'

export function CircuitBadge({ endpoint }: { endpoint: Endpoint }) {
  const { circuit, openUntil } = endpoint
  if (circuit === 'closed') return <Badge tone="good">Closed</Badge>
  return (
    <Badge tone="bad">
      Circuit open
      {openUntil !== null && <Countdown until={openUntil} over="due now" />}
    </Badge>
  )
}
