import type { ChangeEvent, StreamOptions } from '@surehook/client'
import { useEffect, useState } from 'react'
import { useApi } from './api.ts'

/** The newest changes that a stream brought, newest first. */
export type StreamView = {
  /** True once the stream is connected. Only later changes show. */
  isOpen: boolean
  changes: readonly ChangeEvent[]
  received: number
  error: unknown
}

type Options = Pick<StreamOptions, 'table' | 'events' | 'filter' | 'from'>

/** More than this nobody reads. Older ones leave the page, so it never grows. */
const kept = 200
/** A fast stream is drawn a few times a second. */
const drawEveryMs = 150

const nothing: StreamView = { isOpen: false, changes: [], received: 0, error: null }

/** Reads the stream while the page is open. `asked` is the JSON of its options. */
export function useStream(asked: string): StreamView {
  const { surehook } = useApi()
  const [view, setView] = useState(nothing)
  useEffect(() => {
    setView(nothing)
    const ended = new AbortController()
    let waiting: ChangeEvent[] = []
    const draw = () => {
      if (waiting.length === 0) return
      const taken = waiting.toReversed()
      waiting = []
      setView((before) => ({
        ...before,
        received: before.received + taken.length,
        changes: [...taken, ...before.changes].slice(0, kept),
      }))
    }
    const drawing = setInterval(draw, drawEveryMs)
    const read = async () => {
      const options = JSON.parse(asked) as Options
      const onConnect = () => setView((before) => ({ ...before, isOpen: true }))
      const changes = surehook.stream({ ...options, signal: ended.signal, onConnect })
      for await (const change of changes) waiting.push(change)
    }
    read().catch((error: unknown) => {
      if (!ended.signal.aborted) setView((before) => ({ ...before, error }))
    })
    return () => {
      clearInterval(drawing)
      ended.abort()
    }
  }, [asked, surehook])
  return view
}
