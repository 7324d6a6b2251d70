import type { ChangeEvent, StreamOptions } from '@surehook/client'
import { useEffect, useState } from 'react'
import { useApi } from './api.ts'
import { kept, WaitingChanges } from './waiting-changes.ts'

/** The newest changes that a stream brought, newest first. */
export type StreamView = {
  /** True once the stream is connected. Only later changes show. */
  isOpen: boolean
  changes: readonly ChangeEvent[]
  received: number
  error: unknown
}

type Options = Pick<StreamOptions, 'table' | 'events' | 'filter' | 'from'>

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
    const waiting = new WaitingChanges()
    const draw = () => {
      const { changes, count } = waiting.take()
      if (count === 0) return
      setView((before) => ({
        ...before,
        received: before.received + count,
        changes: [...changes, ...before.changes].slice(0, kept),
      }))
    }
    const drawing = setInterval(draw, drawEveryMs)
    const read = async () => {
      const options = JSON.parse(asked) as Options
      const onConnect = () => setView((before) => ({ ...before, isOpen: true }))
      const stream = surehook.stream({ ...options, signal: ended.signal, onConnect })
      for await (const change of stream) waiting.add(change)
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
