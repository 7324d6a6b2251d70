import type { FoundDelivery } from '@surehook/client'
import { useQuery } from '@tanstack/react-query'
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { useApi } from '../../../api/api.ts'
import { queryOf } from '../filters.ts'
import { isBeingRead } from './reading.ts'
import { arrived, asked, caughtUp, drawn, pauseMs, tailOf } from './tail.ts'

/**
 * Follows the newest deliveries of the filters. A hidden tab neither reads nor draws.
 * @param first what the page showed before
 */
export function useTail(
  params: URLSearchParams,
  list: RefObject<HTMLElement | null>,
  first: readonly FoundDelivery[],
) {
  const reading = useReadings(params)
  const [tail, setTail] = useState(() => tailOf(first))
  const { data } = reading
  useEffect(() => {
    if (data !== undefined) setTail((before) => arrived(before, data))
  }, [data])
  // Each change asks for a frame, until a frame has nothing to draw.
  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      const isRead = isBeingRead(list.current)
      setTail((before) => drawn(before, isRead))
    })
    return () => cancelAnimationFrame(frame)
  }, [tail, list])
  const catchUp = useCallback(() => setTail(caughtUp), [])
  return { tail, catchUp, isRead: data !== undefined, error: reading.error, retry: reading.refetch }
}

function useReadings(params: URLSearchParams) {
  const { surehook, keyOf } = useApi()
  const failures = useRef(0)
  return useQuery({
    queryKey: keyOf('deliveries', 'live', params.toString()),
    queryFn: async ({ signal }) => {
      try {
        const query = { ...queryOf(params, new Date()), limit: asked }
        const reading = await surehook.deliveries.search(query, { signal })
        failures.current = 0
        return reading
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
