import type { UserAccount } from '@surehook/client'
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import { useAction } from '../../api/use-action.ts'
import { ConfirmDialog } from '../../parts/feedback/dialog.tsx'
import { Button } from '../../parts/forms/button.tsx'
import { Menu } from '../../parts/layout/menu.tsx'
import { useNavigateAfterCall } from '../../parts/navigation/use-is-here.ts'
import { LogoutDialog } from './logout-dialog.tsx'
import { useUnlock } from './use-unlock.ts'

type UserProps = { user: UserAccount }
type DialogProps = UserProps & { onClose: () => void }

/** Actions that end sessions or the account ask first. One click undoes the others. */
export function UserActions({ user }: UserProps) {
  const [open, setOpen] = useState<'disable' | 'logout' | 'delete' | null>(null)
  const { surehook } = useApi()
  const enabling = useAction({
    run: () => surehook.admin.users.update(user.id, { disabled: false }),
    done: () => 'The user can sign in again',
    failed: 'The user was not enabled',
    changes: ['users'],
  })
  const unlocking = useUnlock(user)
  const close = () => setOpen(null)
  return (
    <>
      {user.disabled && (
        <Button isPending={enabling.isPending} onClick={() => enabling.mutate()}>
          Enable
        </Button>
      )}
      <Menu
        label="More"
        items={[
          {
            label: 'Unlock after failed logins',
            onSelect: () => unlocking.mutate(),
            isPending: unlocking.isPending,
          },
          { label: 'Log out everywhere', onSelect: () => setOpen('logout') },
          ...(user.disabled
            ? []
            : [{ label: 'Disable', onSelect: () => setOpen('disable'), isDangerous: true }]),
          { label: 'Delete', onSelect: () => setOpen('delete'), isDangerous: true },
        ]}
      />
      {open === 'disable' && <DisableDialog user={user} onClose={close} />}
      {open === 'logout' && <LogoutDialog user={user} onClose={close} />}
      {open === 'delete' && <DeleteDialog user={user} onClose={close} />}
    </>
  )
}

function DisableDialog({ user, onClose }: DialogProps) {
  const { surehook } = useApi()
  const disabling = useAction({
    run: () => surehook.admin.users.update(user.id, { disabled: true }),
    done: () => 'The user cannot sign in any more',
    changes: ['users'],
    after: onClose,
  })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title="Disable this user?"
      action="Disable the user"
      isDangerous
      running={disabling}
      onConfirm={() => disabling.mutate()}
    >
      <p className="breakable">{user.email} cannot sign in until you enable the account.</p>
      <p>Every session of the user ends at once.</p>
    </ConfirmDialog>
  )
}

function DeleteDialog({ user, onClose }: DialogProps) {
  const { surehook } = useApi()
  const navigate = useNavigateAfterCall()
  const deleting = useAction({
    run: () => surehook.admin.users.delete(user.id),
    done: () => 'User deleted',
    changes: ['users'],
    after: () => navigate('/users'),
  })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title="Delete this user?"
      action="Delete the user"
      isDangerous
      running={deleting}
      onConfirm={() => deleting.mutate()}
    >
      <p className="breakable">
        This deletes the account of {user.email} and ends every session. It cannot be undone.
      </p>
      <p>Records that the user wrote stay.</p>
    </ConfirmDialog>
  )
}
