import type { Endpoint } from '@surehook/client'
import { useApi } from '../../api/api.ts'
import { useAction } from '../../api/use-action.ts'
import { Button } from '../../parts/forms/button.tsx'

/** Sends the paused deliveries without waiting for the end of the cooldown. */
export function CloseCircuitButton({ endpoint }: { endpoint: Endpoint }) {
  const { surehook } = useApi()
  const closing = useAction({
    run: () => surehook.endpoints.close(endpoint.id),
    done: () => 'Circuit closed. Paused deliveries go out.',
    failed: 'The circuit was not closed',
    changes: ['endpoints', 'webhooks', 'deliveries'],
  })
  return (
    <Button isPending={closing.isPending} onClick={() => closing.mutate()}>
      Close the circuit now
    </Button>
  )
}
