import { useMutation, useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'react-router'
import { withParam } from '../parts/forms/url/url-params.ts'
import { useIsHere } from '../parts/navigation/use-is-here.ts'
import { useApi } from './api.ts'

export const asUserParam = 'asUser'

/** The user whom the URL names: a page shows what this user may see and do. */
export function useAsUser() {
  const { surehook, keyOf } = useApi()
  const [params, setParams] = useSearchParams()
  const isHere = useIsHere()
  const id = params.get(asUserParam) ?? ''
  const { data: user } = useQuery({
    queryKey: keyOf('users', id),
    queryFn: ({ signal }) => surehook.admin.users.get(id, { signal }),
    enabled: id !== '',
  })
  const choose = (userId: string) => setParams((current) => withParam(current, asUserParam, userId))
  const finding = useMutation({
    mutationFn: (email: string) => surehook.admin.users.list({ email }),
    onSuccess({ users: [found] }) {
      if (found !== undefined && isHere()) choose(found.id)
    },
  })
  return { id, name: user?.email ?? id, choose, finding }
}
