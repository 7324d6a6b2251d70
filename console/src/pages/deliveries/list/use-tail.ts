import type { FoundDelivery } from '@surehook/client'
import { useQuery } from '@tanstack/react-query'
import { type RefObject, useCallback, useEffect, useEffectEvent, useRef, useState } from 'react'
import { useApi } from '../../../api/api.ts'
import { queryOf } from './filters.ts'
import { isBeingRead } from './is-being-read.ts'
import { arrived, asked, caughtUp, drawEveryMs, drawn, pauseMs, type Tail, tailOf } from './tail.ts'

/**
 * Follows the newest deliveries of the filters. A hidden tab neither reads nor draws.
 * @param first what the page showed before
 */
export function useTail(
  params: URLSearchParams,
  list: RefObject<HTMLElement | null>,
  first: readonly FoundDelivery[],
) {
  const search = useRepeatedSearch(params)
  const [tail, setTail] = useState(() => tailOf(first))
  const { data } = search
  useEffect(() => {
    if (data !== undefined) setTail((before) => arrived(before, data))
  }, [data])
  useDrawings(tail, () => {
    const isUserReading = isBeingRead(list.current)
    setTail((before) => drawn(before, isUserReading))
  })
  const catchUp = useCallback(() => setTail(caughtUp), [])
  const { error, refetch } = search
  return { tail, catchUp, isLoaded: data !== undefined, error, retry: refetch }
}

/** Each change of the tail asks for a drawing, until there is nothing to draw. */
function useDrawings(tail: Tail, draw: () => void): void {
  const drawnAt = useRef(-drawEveryMs)
  const onDraw = useEffectEvent(draw)
  useEffect(() => {
    let frame = 0
    const dueMs = drawnAt.current + drawEveryMs - performance.now()
    const timer = setTimeout(() => {
      frame = requestAnimationFrame(() => {
        drawnAt.current = performance.now()
        onDraw()
      })
    }, dueMs)
    return () => {
      clearTimeout(timer)
      cancelAnimationFrame(frame)
    }
  }, [tail])
}

function useRepeatedSearch(params: URLSearchParams) {
  const { surehook, keyOf } = useApi()
  const failures = useRef(0)
  return useQuery({
    queryKey: keyOf('deliveries', 'live', params.toString()),
    queryFn: async ({ signal }) => {
      try {
        const query = { ...queryOf(params, new Date()), limit: asked }
        const page = await surehook.deliveries.search(query, { signal })
        failures.current = 0
        return page
      } catch (err) {
        failures.current += 1
        throw err
      }
    },
    refetchInterval: () => pauseMs(failures.current),
    // The tail compares rows by their ids.
    structuralSharing: false,
    gcTime: 0,
  })
}
