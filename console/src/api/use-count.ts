import type { DeliveryQuery } from '@surehook/client'
import { useQuery } from '@tanstack/react-query'
import { plural } from '../parts/data/numbers.ts'
import { useApi } from './api.ts'

/** `isMore` if one search could not count them all. */
export type RowCount = { found: number; isMore: boolean }

const counted = 1_000

/** How many deliveries the searches find together. One search counts up to 1,000. */
export function useCount(queries: readonly DeliveryQuery[]) {
  const { surehook, keyOf } = useApi()
  return useQuery({
    queryKey: keyOf('deliveries', 'count', queries),
    queryFn: async ({ signal }) => {
      const pages = await Promise.all(
        queries.map((query) =>
          surehook.deliveries.search({ ...query, limit: counted }, { signal }),
        ),
      )
      return {
        found: pages.reduce((sum, { deliveries }) => sum + deliveries.length, 0),
        isMore: pages.some(({ nextCursor }) => nextCursor !== null),
      }
    },
    // The dialog counts again each time that it opens.
    gcTime: 0,
  })
}

/** Such as `at least 1,000 deliveries`. */
export const countText = ({ found, isMore }: RowCount): string =>
  `${isMore ? 'at least ' : ''}${plural(found, 'delivery', 'deliveries')}`

/** The most deliveries that an answer to `cancel` or `recover` counts. */
const countedDeliveries = 100_000

/** Such as `1 delivery is`, or `At least 100,000 deliveries are`. */
export const countedOutcome = (found: number, one: string, many: string): string =>
  `${found < countedDeliveries ? '' : 'At least '}${plural(found, one, many)}`
