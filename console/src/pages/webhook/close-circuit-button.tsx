import type { Endpoint } from '@surehook/client'
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import { useAction } from '../../api/use-action.ts'
import { ConfirmDialog } from '../../parts/feedback/dialog.tsx'
import { Button } from '../../parts/forms/button.tsx'
import { closingText } from './closing-text.ts'

/** Sends the paused deliveries without waiting for the end of the cooldown. It asks first. */
export function CloseCircuitButton({ endpoint }: { endpoint: Endpoint }) {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Button onClick={() => setAsking(true)}>Close the circuit now</Button>
      {isAsking && <CloseDialog endpoint={endpoint} onClose={() => setAsking(false)} />}
    </>
  )
}

type CloseDialogProps = { endpoint: Endpoint; onClose: () => void }

function CloseDialog({ endpoint, onClose }: CloseDialogProps) {
  const { surehook } = useApi()
  const closing = useAction({
    run: () => surehook.endpoints.close(endpoint.id),
    done: () => 'Circuit closed. Paused deliveries go out.',
    changes: ['endpoints', 'webhooks', 'deliveries'],
    after: onClose,
  })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title="Close the circuit?"
      action="Close the circuit"
      dismiss="Wait for it"
      running={closing}
      onConfirm={() => closing.mutate()}
    >
      <p className="breakable">{endpoint.url}</p>
      <p>{closingText(endpoint)}</p>
      <p>If attempts keep failing, the circuit opens again.</p>
    </ConfirmDialog>
  )
}
