import { type RefObject, useEffect } from 'react'

export type ListKeys = {
  /** What `/` leads to. */
  search: RefObject<HTMLElement | null>
  /** What `r` does with the row that has the focus. */
  onRedeliver: (rowId: string) => void
  /** What `?` does. */
  onHelp: () => void
}

/** Moves through the rows of a list: `j`, `k`, `/`, `r`, `?`. Enter follows the link of the row. */
export function useListKeys({ search, onRedeliver, onHelp }: ListKeys): void {
  useEffect(() => {
    const actions: Record<string, () => void> = {
      j: () => focusRow(1),
      k: () => focusRow(-1),
      '/': () => search.current?.focus(),
      '?': onHelp,
      r: () => {
        const id = focusedRow()?.dataset['rowLink']
        if (id !== undefined) onRedeliver(id)
      },
    }
    const onKey = (event: KeyboardEvent) => {
      const action = actions[event.key]
      if (action === undefined || isTaken(event)) return
      event.preventDefault()
      action()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [search, onRedeliver, onHelp])
}

/** Browsers, fields and dialogs have keys of their own. */
function isTaken({ ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || !(target instanceof Element)) return true
  return target.closest(ownKeys) !== null
}

const ownKeys = 'input:not([type="checkbox"]), select, textarea, [contenteditable], [role="dialog"]'

const rowLinks = () => [...document.querySelectorAll<HTMLElement>('[data-row-link]')]

const focusedRow = () => rowLinks().find((link) => link === document.activeElement)

function focusRow(step: 1 | -1): void {
  const links = rowLinks()
  const current = links.findIndex((link) => link === document.activeElement)
  const next = current === -1 ? 0 : Math.min(links.length - 1, Math.max(0, current + step))
  links[next]?.focus()
}
