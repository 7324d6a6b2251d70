import type { LedgerQuery } from '@surehook/client'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useApi } from '../../api/api.ts'

/** Takes a ledger. Surehook stops reading when the page is left. */
export function useLedger() {
  const { surehook } = useApi()
  const reading = useRef<AbortController | null>(null)
  const taking = useMutation({
    mutationFn: (query: LedgerQuery) => {
      const stopped = new AbortController()
      reading.current = stopped
      return surehook.admin.installation.ledger(query, { signal: stopped.signal })
    },
  })
  useEffect(() => () => reading.current?.abort(), [])
  const stop = () => {
    // Nobody waits for the answer, so it is no failure.
    taking.reset()
    reading.current?.abort()
  }
  return { taking, stop }
}
