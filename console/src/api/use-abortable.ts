import { useCallback, useEffect, useRef } from 'react'

/**
 * Signals for calls that take long. A new signal, `stop` and leaving the page abort the last one.
 */
export function useAbortable() {
  const running = useRef<AbortController>(null)
  const stop = useCallback(() => running.current?.abort(), [])
  useEffect(() => stop, [stop])
  const newSignal = () => {
    stop()
    running.current = new AbortController()
    return running.current.signal
  }
  return { newSignal, stop }
}
