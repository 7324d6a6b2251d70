import { useState } from 'react'
import type { StreamView } from './use-stream.ts'

/** A stream that can pause: it goes on, and the view stays as it was. */
export function useHeld(view: StreamView) {
  const [held, setHeld] = useState<StreamView | null>(null)
  return {
    isHeld: held !== null,
    view: held ?? view,
    /** The changes that came since the pause. */
    newer: held === null ? 0 : view.received - held.received,
    toggle: () => setHeld(held === null ? view : null),
    release: () => setHeld(null),
  }
}
