import { useState } from 'react'
import { useNavigate } from 'react-router'
import { useApi } from '../../api/api.ts'
import { useAction } from '../../api/use-action.ts'
import { ConfirmDialog } from '../../parts/feedback/dialog.tsx'
import { Button } from '../../parts/forms/button.tsx'
import { TextField } from '../../parts/forms/field.tsx'

export function TableMenu({ table }: { table: string }) {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Button onClick={() => setAsking(true)}>Delete the table</Button>
      {isAsking && <DeleteTable table={table} onClose={() => setAsking(false)} />}
    </>
  )
}

/** All records go with the table, so the name must be typed. */
function DeleteTable({ table, onClose }: { table: string; onClose: () => void }) {
  const { surehook } = useApi()
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const [isWrong, setWrong] = useState(false)
  const deleting = useAction({
    run: () => surehook.tables.delete(table),
    done: () => `Table ${table} deleted`,
    changes: ['tables', 'records'],
    after: () => void navigate('/tables'),
  })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Delete ${table}?`}
      action="Delete the table"
      isDangerous
      running={deleting}
      onConfirm={() => (typed === table ? deleting.mutate() : setWrong(true))}
    >
      <p>This deletes the table and all its records. It makes no events. This cannot be undone.</p>
      <TextField
        label={`Type ${table} to confirm`}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        violation={isWrong && typed !== table ? `must be ${table}` : undefined}
      />
    </ConfirmDialog>
  )
}
