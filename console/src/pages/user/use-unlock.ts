import type { UserAccount } from '@surehook/client'
import { useApi } from '../../api/api.ts'
import { useAction } from '../../api/use-action.ts'

export function useUnlock({ id }: UserAccount) {
  const { surehook } = useApi()
  return useAction({
    run: () => surehook.admin.users.unlock(id),
    done: () => 'The user was unlocked',
    failed: 'The user was not unlocked',
    changes: ['users'],
  })
}
