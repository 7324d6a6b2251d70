import { createContext, use } from 'react'
import { Icon } from './icon.tsx'

/** Where people read `docs/`. */
const docsUrl = 'https://github.com/surehook/surehook/blob/main/docs/'

const DocsContext = createContext<string | null>(null)
/** The file below `docs/` that explains the page, with a heading where one fits. */
export const DocsProvider = DocsContext.Provider

export function DocsLink() {
  const file = use(DocsContext)
  if (file === null) return null
  return (
    <a className="button ghost" href={docsUrl + file} target="_blank" rel="noreferrer">
      <Icon name="docs" />
      Docs<span className="visually-hidden"> of this page (opens in a new tab)</span>
    </a>
  )
}
