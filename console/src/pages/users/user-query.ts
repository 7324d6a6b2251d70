import type { UserQuery } from '@surehook/client'

/** The search that the URL asks for. */
export function userQueryOf(params: URLSearchParams): UserQuery {
  const email = params.get('email')?.trim() ?? ''
  const cursor = params.get('cursor') ?? ''
  return { limit: 50, ...(email && { email }), ...(cursor && { cursor }) }
}

/** The URL of another search, which begins at its first page. */
export function searchFor(email: string): URLSearchParams {
  const wanted = email.trim()
  return new URLSearchParams(wanted === '' ? {} : { email: wanted })
}
