import { useSyncExternalStore } from 'react'

const everyMs = 1_000
const listeners = new Set<() => void>()
let now = new Date()
let timer: ReturnType<typeof setInterval> | undefined

/** One clock for the whole page, which stands while nothing shows it. */
function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) now = new Date()
  listeners.add(listener)
  timer ??= setInterval(tick, everyMs)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

function tick(): void {
  now = new Date()
  for (const listener of listeners) listener()
}

export const useNow = (): Date => useSyncExternalStore(subscribe, () => now)
