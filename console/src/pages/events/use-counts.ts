import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { useApi } from '../../api/api.ts'
import { freshMs } from '../../api/queries.ts'
import { pauseMs } from '../deliveries/list/tail.ts'
import { areUnsettled, askedIds, type CountsById, type EventRow } from './event-rows.ts'

const none: CountsById = new Map()

/**
 * Counts the webhooks of the rows: each second while the numbers change, and seldom otherwise. A
 * hidden tab does not ask.
 */
export function useCounts(list: string, rows: readonly EventRow[]): CountsById {
  const { surehook, keyOf } = useApi()
  const failures = useRef(0)
  const known = useRef(none)
  const { data = none } = useQuery({
    // The rows are no part of the key: a new one must not ask before the second is over.
    queryKey: keyOf('events', 'counts', list),
    queryFn: async ({ signal }): Promise<CountsById> => {
      const ids = askedIds(rows, known.current, Date.now())
      try {
        const { events } = await surehook.events.counts(ids, { signal })
        failures.current = 0
        const counted = new Map(events.map((counts) => [counts.eventId, counts]))
        // An answer may leave out events, and rows may have left the list.
        const kept = ids.flatMap((id) => {
          const counts = counted.get(id) ?? known.current.get(id)
          return counts === undefined ? [] : [[id, counts] as const]
        })
        known.current = new Map(kept)
        return known.current
      } catch (err) {
        failures.current += 1
        throw err
      }
    },
    enabled: rows.length > 0,
    refetchInterval: () =>
      failures.current > 0 || areUnsettled(rows, known.current, Date.now())
        ? pauseMs(failures.current)
        : freshMs,
    structuralSharing: false,
    gcTime: 0,
  })
  return data
}
