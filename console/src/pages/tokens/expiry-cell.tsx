import type { ManagementToken } from '@surehook/client'
import { Badge } from '../../parts/data/status-badge.tsx'
import { Time } from '../../parts/data/time/time.tsx'
import { useNow } from '../../parts/data/time/use-now.ts'
import { isExpired } from './token-draft.ts'

export function ExpiryCell({ token }: { token: ManagementToken }) {
  const now = useNow()
  if (token.expiresAt === null) return 'never'
  if (isExpired(token, now)) return <Badge tone="quiet">Expired</Badge>
  return <Time at={token.expiresAt} />
}
