import { useSearchParams } from 'react-router'
import { UrlTextField } from '../../forms/url/url-text-field.tsx'
import './list-search.css'

type ListSearchProps = {
  label: string
  violation?: string | undefined
}

const name = 'search'

/** What the list is searched for. The URL keeps it. */
export function useListSearch(): { search?: string; cursor?: string } {
  const [params] = useSearchParams()
  const [search, cursor] = [params.get(name) ?? '', params.get('cursor') ?? '']
  return { ...(search && { search }), ...(cursor && { cursor }) }
}

/** Searches all pages of a list. The API compares. */
export function ListSearch({ label, violation }: ListSearchProps) {
  return (
    <search className="list-search">
      <UrlTextField name={name} type="search" label={label} maxLength={200} violation={violation} />
    </search>
  )
}
