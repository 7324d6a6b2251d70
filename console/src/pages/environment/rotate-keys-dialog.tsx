import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import { useAction } from '../../api/use-action.ts'
import { type Column, DataTable } from '../../parts/data/tables/data-table.tsx'
import { Time } from '../../parts/data/time/time.tsx'
import { ConfirmDialog, Dialog } from '../../parts/feedback/dialog.tsx'
import { CheckField } from '../../parts/forms/field.tsx'
import { keyColumns, keyIdOf } from './key-columns.tsx'

type RotateKeysProps = { project: string; environment: string; onClose: () => void }

/** Asks whether old tokens stay valid, and shows the keys of the environment after that. */
export function RotateKeysDialog({ project, environment, onClose }: RotateKeysProps) {
  const { inTenant } = useApi()
  const [isImmediate, setImmediate] = useState(false)
  const rotating = useAction({
    run: () =>
      inTenant(project, environment).admin.environments.rotateKeys({ immediately: isImmediate }),
    done: () => 'Keys rotated',
    changes: ['environments'],
  })
  if (rotating.data !== undefined) return <Keys keys={rotating.data.keys} onClose={onClose} />
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title="Rotate the keys?"
      action="Rotate the keys"
      isDangerous={isImmediate}
      running={rotating}
      onConfirm={() => rotating.mutate()}
    >
      <p>New access tokens are made with new keys, once every service knows these keys.</p>
      <CheckField
        label="A key leaked: refuse every token made with an old key at once"
        checked={isImmediate}
        onChange={(event) => setImmediate(event.target.checked)}
      />
      <p role="status">
        {isImmediate
          ? 'Users get a new access token with their next refresh.'
          : 'Tokens made with the old keys stay valid until they expire.'}
      </p>
    </ConfirmDialog>
  )
}

type Key = { kid: string; use: 'sig' | 'enc'; activeFrom: string }

const columns: readonly Column<Key>[] = [
  ...keyColumns,
  { id: 'from', header: 'Active', cell: ({ activeFrom }) => <Time at={activeFrom} /> },
]

function Keys({ keys, onClose }: { keys: readonly Key[]; onClose: () => void }) {
  return (
    <Dialog isOpen onClose={onClose} title="The keys were rotated">
      <DataTable label="Keys" columns={columns} rows={keys} idOf={keyIdOf} />
    </Dialog>
  )
}
