import type { UserAccount } from '@surehook/client'
import { useApi } from '../../api/api.ts'
import { useAction } from '../../api/use-action.ts'
import { ConfirmDialog } from '../../parts/feedback/dialog.tsx'

type LogoutDialogProps = { user: UserAccount; onClose: () => void }

export function LogoutDialog({ user, onClose }: LogoutDialogProps) {
  const { surehook } = useApi()
  const ending = useAction({
    run: () => surehook.admin.users.logout(user.id),
    done: () => 'The user was logged out everywhere',
    changes: ['users'],
    after: onClose,
  })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title="Log this user out everywhere?"
      action="Log out everywhere"
      running={ending}
      onConfirm={() => ending.mutate()}
    >
      <p className="breakable">This ends every session of {user.email} on every device.</p>
      <p>The user may sign in again with the password.</p>
    </ConfirmDialog>
  )
}
