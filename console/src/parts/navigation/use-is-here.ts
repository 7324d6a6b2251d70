import { use, useCallback } from 'react'
import {
  UNSAFE_DataRouterContext as DataRouterContext,
  useLocation,
  useNavigate,
} from 'react-router'

/**
 * Returns whether the router is still where the component was rendered. Ask before you write the
 * URL later than the event that caused it. The router knows of a navigation before a page renders
 * it, and a second navigation replaces the first: the link that was clicked would lead nowhere.
 */
export function useIsHere(): () => boolean {
  const data = use(DataRouterContext)
  const { key } = useLocation()
  return useCallback(() => {
    if (data === null) throw new Error('no router')
    const { navigation, location } = data.router.state
    return navigation.state === 'idle' && location.key === key
  }, [data, key])
}

/** Leads on after a call, unless the reader went elsewhere while it ran. */
export function useNavigateAfterCall(): (to: string) => Promise<void> {
  const navigate = useNavigate()
  const isHere = useIsHere()
  return useCallback(
    async (to) => {
      if (isHere()) await navigate(to)
    },
    [navigate, isHere],
  )
}
