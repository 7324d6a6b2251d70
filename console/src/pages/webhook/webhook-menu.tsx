import type { Subscription } from '@surehook/client'
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import { useAction } from '../../api/use-action.ts'
import { Button } from '../../parts/forms/button.tsx'
import { DeleteDialog } from './delete-dialog.tsx'
import { RotateDialog } from './rotate-dialog.tsx'

type Open = 'rotate' | 'delete' | null

export function WebhookMenu({ webhook }: { webhook: Subscription }) {
  const [open, setOpen] = useState<Open>(null)
  const close = () => setOpen(null)
  return (
    <>
      <Button onClick={() => setOpen('rotate')}>Rotate the secret</Button>
      <ActiveButton webhook={webhook} />
      <Button onClick={() => setOpen('delete')}>Delete</Button>
      {open === 'rotate' && <RotateDialog webhook={webhook} onClose={close} />}
      {open === 'delete' && <DeleteDialog webhook={webhook} onClose={close} />}
    </>
  )
}

/** It can be undone with one click, so it does not ask. */
export function ActiveButton({ webhook, look }: { webhook: Subscription; look?: 'primary' }) {
  const { surehook } = useApi()
  const { active, id } = webhook
  const changing = useAction({
    run: () => surehook.webhooks.update(id, { active: !active }),
    done: (changed) => (changed.active ? 'Webhook activated' : 'Webhook deactivated'),
    failed: 'The webhook was not changed',
    changes: ['webhooks'],
  })
  return (
    <Button
      look={look ?? 'secondary'}
      isPending={changing.isPending}
      onClick={() => changing.mutate()}
    >
      {active ? 'Deactivate' : 'Activate'}
    </Button>
  )
}
