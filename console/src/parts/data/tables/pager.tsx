import { useSearchParams } from 'react-router'
import { ButtonLink } from '../../forms/button.tsx'
import './pager.css'

/** Links to the first and the next page of a list whose cursor is in the URL. */
export function Pager({ next }: { next: string | null }) {
  const [params] = useSearchParams()
  const isFirst = !params.has('cursor')
  if (isFirst && next === null) return null
  return (
    <nav className="pager" aria-label="Pages of the list">
      {isFirst ? <span /> : <ButtonLink to={`?${withCursor(params, null)}`}>First page</ButtonLink>}
      {next !== null && <ButtonLink to={`?${withCursor(params, next)}`}>Next page</ButtonLink>}
    </nav>
  )
}

function withCursor(params: URLSearchParams, cursor: string | null): string {
  const next = new URLSearchParams(params)
  next.delete('cursor')
  if (cursor !== null) next.set('cursor', cursor)
  return next.toString()
}
