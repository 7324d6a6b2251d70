import { isRefused } from '../../api/session/check-session.ts'
import { FaultNotice, Notice } from '../../parts/feedback/notice.tsx'

export function SignInFault({ error }: { error: unknown }) {
  if (!isRefused(error)) return <FaultNotice error={error} />
  return (
    <Notice tone="bad" title="Surehook refused the token">
      <p>Check the token, and that it belongs to this project.</p>
    </Notice>
  )
}
