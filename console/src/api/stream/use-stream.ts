import type { ChangeEvent, StreamOptions } from '@surehook/client'
import { useEffect, useRef, useState } from 'react'
import { useApi } from '../api.ts'
import { acceptsAll } from './accepts.ts'
import { useVisible } from './use-visible.ts'
import { kept, WaitingChanges } from './waiting-changes.ts'

/** The newest changes that a stream brought, newest first. */
export type StreamView = {
  /** True once the stream is connected. Only later changes show. */
  isOpen: boolean
  changes: readonly ChangeEvent[]
  received: number
  error: unknown
}

/** `restart` begins anew after an error. */
export type RunningStream = StreamView & { restart: () => void }

type Options = Pick<StreamOptions, 'table' | 'events' | 'filter' | 'from'>

/** A fast stream is drawn a few times a second. */
const drawEveryMs = 150

const nothing: StreamView = { isOpen: false, changes: [], received: 0, error: null }

/**
 * Reads the stream while the page is open. A hidden tab gives up its connection, because a browser
 * opens only six to a server, and continues at its cursor. `asked` is the JSON of the options.
 * @param accepts a constant. Another one begins the stream anew.
 */
export function useStream(asked: string, accepts = acceptsAll): RunningStream {
  const { surehook } = useApi()
  const isVisible = useVisible()
  const [view, setView] = useState(nothing)
  const [attempt, setAttempt] = useState(0)
  const cursor = useRef<string>(undefined)
  useEffect(() => {
    cursor.current = undefined
    setView(nothing)
  }, [asked, accepts, attempt, surehook])
  useEffect(() => {
    if (!isVisible) return
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
    const stream = surehook.stream({
      ...(JSON.parse(asked) as Options),
      ...(cursor.current !== undefined && { cursor: cursor.current }),
      signal: ended.signal,
      onConnect: () => setView((before) => ({ ...before, isOpen: true })),
    })
    const read = async () => {
      for await (const change of stream) if (accepts(change)) waiting.add(change)
    }
    read().catch((error: unknown) => {
      if (!ended.signal.aborted) setView((before) => ({ ...before, error }))
    })
    return () => {
      ended.abort()
      clearInterval(drawing)
      draw()
      cursor.current = stream.cursor
    }
  }, [asked, accepts, attempt, surehook, isVisible])
  return { ...view, restart: () => setAttempt((before) => before + 1) }
}
