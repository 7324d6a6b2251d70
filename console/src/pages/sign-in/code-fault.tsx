import { SurehookError } from '@surehook/client'
import { FaultNotice, Notice } from '../../parts/feedback/notice.tsx'

/** Why a one-time code did not sign in, and the next step. */
export function CodeFault({ error }: { error: unknown }) {
  const isRefused = error instanceof SurehookError && error.code === 'AUTH_INVALID_CODE'
  if (!isRefused) return <FaultNotice error={error} />
  return (
    <Notice tone="bad" title="The one-time code did not sign you in">
      <p>
        It works once, within 30 seconds. It was used, it expired, or its token was revoked. Run{' '}
        <code>surehook console</code> again, or sign in here.
      </p>
    </Notice>
  )
}
