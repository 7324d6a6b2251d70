import type { FoundDelivery } from '@surehook/client'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api.ts'
import { Button } from '../../parts/forms/button.tsx'
import { queryOf } from './filters.ts'

type NewerButtonProps = {
  params: URLSearchParams
  /** What the page shows. */
  rows: readonly FoundDelivery[]
  onShow: () => void
}

const everyMs = 3_000
const counted = 50

/** Counts the deliveries that came after the first page was read. */
export function NewerButton({ params, rows, onShow }: NewerButtonProps) {
  const { surehook, keyOf } = useApi()
  const isFirstPage = !params.has('cursor')
  const { data = 0 } = useQuery({
    queryKey: keyOf('deliveries', 'newer', params.toString(), rows[0]?.id),
    queryFn: async ({ signal }) => {
      const asked = { ...queryOf(params, new Date()), limit: counted }
      const { deliveries } = await surehook.deliveries.search(asked, { signal })
      const seen = deliveries.findIndex(({ id }) => id === rows[0]?.id)
      return seen === -1 ? deliveries.length : seen
    },
    enabled: isFirstPage,
    refetchInterval: everyMs,
  })
  return (
    <div className="newer" aria-live="polite">
      {isFirstPage && data > 0 && (
        <Button look="primary" onClick={onShow}>
          {data >= counted ? `${counted} or more newer` : `${data} newer`}
        </Button>
      )}
    </div>
  )
}
