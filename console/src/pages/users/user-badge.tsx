import type { UserAccount } from '@surehook/client'
import { Badge } from '../../parts/data/status-badge.tsx'
import { stateOf } from './user-text.ts'

/** Whether the user can sign in. */
export function UserBadge({ user }: { user: UserAccount }) {
  const [tone, text] = stateOf(user)
  return <Badge tone={tone}>{text}</Badge>
}
