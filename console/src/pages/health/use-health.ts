import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api.ts'

const everyMs = 10_000

export function useHealth() {
  const { surehook, keyOf } = useApi()
  return useQuery({
    queryKey: keyOf('installation', 'health'),
    queryFn: ({ signal }) => surehook.admin.installation.health({ signal }),
    refetchInterval: everyMs,
  })
}
