import type { UserAccount, UserLock } from '@surehook/client'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api.ts'
import { Countdown, ExactTime } from '../../parts/data/time/time.tsx'
import { FaultNotice, Notice } from '../../parts/feedback/notice.tsx'
import { Button } from '../../parts/forms/button.tsx'
import { lockText } from './lock-text.ts'
import { useUnlock } from './use-unlock.ts'

const everyMs = 5_000

/** Until when failed logins lock the account, with the button that ends it. */
export function LockNotice({ user }: { user: UserAccount }) {
  const { surehook, keyOf } = useApi()
  const { data, error, refetch } = useQuery({
    queryKey: keyOf('users', user.id, 'lock'),
    queryFn: ({ signal }) => surehook.admin.users.lock(user.id, { signal }),
    refetchInterval: everyMs,
  })
  if (error !== null) return <FaultNotice error={error} retry={() => void refetch()} />
  if (data === undefined || data.lockedUntil === null) return null
  return <Locked user={user} until={data.lockedUntil} locks={data.locks} />
}

type LockedProps = { user: UserAccount; until: string; locks: UserLock['locks'] }

function Locked({ user, until, locks }: LockedProps) {
  const unlocking = useUnlock(user)
  return (
    <Notice tone="warn" title="Failed logins locked this account">
      <p>
        Locked until <ExactTime at={until} /> (<Countdown until={until} /> left).
      </p>
      <p className="breakable">{lockText(locks)}</p>
      <p>
        <Button isPending={unlocking.isPending} onClick={() => unlocking.mutate()}>
          Unlock
        </Button>
      </p>
    </Notice>
  )
}
