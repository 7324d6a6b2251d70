import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import { useAction } from '../../api/use-action.ts'
import { TypedConfirmDialog } from '../../parts/feedback/typed-confirm-dialog.tsx'
import { Menu } from '../../parts/layout/menu.tsx'
import { useNavigateAfterCall } from '../../parts/navigation/use-is-here.ts'

export function TableMenu({ table }: { table: string }) {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Menu
        label="More"
        items={[{ label: 'Delete', onSelect: () => setAsking(true), isDangerous: true }]}
      />
      {isAsking && <DeleteTable table={table} onClose={() => setAsking(false)} />}
    </>
  )
}

function DeleteTable({ table, onClose }: { table: string; onClose: () => void }) {
  const { surehook } = useApi()
  const navigate = useNavigateAfterCall()
  const deleting = useAction({
    run: () => surehook.tables.delete(table),
    done: () => `Table ${table} deleted`,
    changes: ['tables', 'records'],
    after: () => void navigate('/tables'),
  })
  return (
    <TypedConfirmDialog
      isOpen
      onClose={onClose}
      title={`Delete ${table}?`}
      action="Delete the table"
      name={table}
      running={deleting}
      onConfirm={() => deleting.mutate()}
    >
      <p>
        This deletes the table and all its records here. It makes no events. This cannot be undone.
      </p>
    </TypedConfirmDialog>
  )
}
