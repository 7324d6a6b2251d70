import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import { useAction } from '../../api/use-action.ts'
import { plural } from '../../parts/data/numbers.ts'
import { TypedConfirmDialog } from '../../parts/feedback/typed-confirm-dialog.tsx'
import { Menu } from '../../parts/layout/menu.tsx'
import { useNavigateAfterCall } from '../../parts/navigation/use-is-here.ts'
import { RotateKeysDialog } from './rotate-keys-dialog.tsx'

type EnvironmentProps = { project: string; environment: string }

export function EnvironmentActions(props: EnvironmentProps) {
  const [open, setOpen] = useState<'rotate' | 'delete' | null>(null)
  const close = () => setOpen(null)
  const { inTenant } = useApi()
  const testing = useAction({
    run: () => inTenant(props.project, props.environment).admin.environments.testNotify(),
    done: ({ recipients }) => `A test alert goes to ${plural(recipients, 'recipient')}`,
    changes: ['environments'],
  })
  return (
    <>
      <Menu
        label="More"
        items={[
          { label: 'Send a test alert', onSelect: () => testing.mutate() },
          { label: 'Rotate the keys', onSelect: () => setOpen('rotate') },
          { label: 'Delete', onSelect: () => setOpen('delete'), isDangerous: true },
        ]}
      />
      {open === 'rotate' && <RotateKeysDialog {...props} onClose={close} />}
      {open === 'delete' && <DeleteEnvironment {...props} onClose={close} />}
    </>
  )
}

type DeleteProps = EnvironmentProps & { onClose: () => void }

function DeleteEnvironment({ project, environment, onClose }: DeleteProps) {
  const { inTenant } = useApi()
  const navigate = useNavigateAfterCall()
  const deleting = useAction({
    run: () => inTenant(project, environment).admin.environments.delete(),
    done: () => `${project} / ${environment} is being deleted`,
    changes: ['environments', 'projects'],
    after: () => navigate('/operator'),
  })
  return (
    <TypedConfirmDialog
      isOpen
      onClose={onClose}
      title={`Delete ${project} / ${environment}?`}
      action="Delete the environment"
      name={environment}
      running={deleting}
      onConfirm={() => deleting.mutate()}
    >
      <p>
        The environment stops at once. Its users, tables, records, webhooks and the history of its
        deliveries are deleted. This cannot be undone.
      </p>
    </TypedConfirmDialog>
  )
}
