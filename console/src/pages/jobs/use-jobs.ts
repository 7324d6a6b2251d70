import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api.ts'

const everyMs = 2_000

export function useJobs() {
  const { surehook, keyOf } = useApi()
  return useQuery({
    queryKey: keyOf('installation', 'jobs'),
    queryFn: ({ signal }) => surehook.admin.installation.jobs({ signal }),
    refetchInterval: everyMs,
  })
}
