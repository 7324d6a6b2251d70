import type { LedgerQuery } from '@surehook/client'
import { useMutation } from '@tanstack/react-query'
import { useApi } from '../../api/api.ts'
import { useAbortable } from '../../api/use-abortable.ts'

/** Takes a ledger. Surehook stops reading when the page is left. */
export function useLedger() {
  const { surehook } = useApi()
  const reading = useAbortable()
  const taking = useMutation({
    mutationFn: (query: LedgerQuery) =>
      surehook.admin.installation.ledger(query, { signal: reading.newSignal() }),
  })
  const stop = () => {
    // Nobody waits for the answer, so it is no failure.
    taking.reset()
    reading.stop()
  }
  return { taking, stop }
}
