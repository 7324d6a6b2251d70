import type { Subscription } from '@surehook/client'
import { type ComponentType, useState } from 'react'
import { useNavigate } from 'react-router'
import { useApi } from '../../api/api.ts'
import { useAction } from '../../api/use-action.ts'
import { Button } from '../../parts/forms/button.tsx'
import { Menu, type MenuItem } from '../../parts/layout/menu.tsx'
import { CancelDialog } from './cancel-dialog.tsx'
import { DeleteDialog } from './delete-dialog.tsx'
import { RecoverDialog } from './recover-dialog.tsx'
import { RotateDialog } from './rotate-dialog.tsx'

type DialogProps = { webhook: Subscription; onClose: () => void }

const RecoverOfOne = ({ webhook, onClose }: DialogProps) => (
  <RecoverDialog webhooks={[webhook]} onClose={onClose} />
)

const dialogs: [string, ComponentType<DialogProps>][] = [
  ['Rotate the secret', RotateDialog],
  ['Send dead letters again', RecoverOfOne],
  ['Cancel deliveries that wait', CancelDialog],
  ['Delete', DeleteDialog],
]

export function WebhookMenu({ webhook }: { webhook: Subscription }) {
  const navigate = useNavigate()
  const [open, setOpen] = useState<string | null>(null)
  const changing = useActiveChange(webhook)
  const Open = dialogs.find(([label]) => label === open)?.[1]
  const items: MenuItem[] = dialogs.map(([label]) => ({
    label,
    onSelect: () => setOpen(label),
    isDangerous: label === 'Delete',
  }))
  const label = webhook.active ? 'Deactivate' : 'Activate'
  const toggle = { label, onSelect: () => changing.mutate(), isPending: changing.isPending }
  const replay = {
    label: 'Replay a past time',
    onSelect: () => void navigate(`/webhooks/${webhook.id}/replay`),
  }
  return (
    <>
      <Menu label="More" items={items.toSpliced(1, 0, toggle, replay)} />
      {Open && <Open webhook={webhook} onClose={() => setOpen(null)} />}
    </>
  )
}

export function ActiveButton({ webhook }: { webhook: Subscription }) {
  const changing = useActiveChange(webhook)
  return (
    <Button isPending={changing.isPending} onClick={() => changing.mutate()}>
      {webhook.active ? 'Deactivate' : 'Activate'}
    </Button>
  )
}

/** It can be undone with one click, so it does not ask. */
function useActiveChange({ id, active }: Subscription) {
  const { surehook } = useApi()
  return useAction({
    run: () => surehook.webhooks.update(id, { active: !active }),
    done: (changed) => (changed.active ? 'Webhook activated' : 'Webhook deactivated'),
    failed: 'The webhook was not changed',
    changes: ['webhooks'],
  })
}
