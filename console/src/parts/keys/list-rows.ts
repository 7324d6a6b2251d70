/**
 * The rows of all lists of the page, in their order. A list marks each row with `data-row`. A row of a
 * hidden tab does not count.
 */
const rowsOfPage = () =>
  [...document.querySelectorAll<HTMLElement>('main [data-row]')].filter((row) =>
    row.checkVisibility(),
  )

/** What opens the row. A row without a link gets the focus itself. */
const targetOf = (row: HTMLElement): HTMLElement =>
  row.querySelector<HTMLElement>('[data-row-link]') ??
  row.querySelector<HTMLElement>('.is-title a') ??
  row.querySelector<HTMLElement>('a') ??
  row

/** Moves the focus to the next or the previous row. It begins at the first one. */
export function focusRow(step: 1 | -1): void {
  const rows = rowsOfPage()
  const current = rows.findIndex((row) => row.contains(document.activeElement))
  const next = current === -1 ? 0 : Math.min(rows.length - 1, Math.max(0, current + step))
  const row = rows[next]
  if (row !== undefined) targetOf(row).focus()
}

/** The id of the row that has the focus, if its link tells one. */
export const focusedRowId = (): string | undefined =>
  document.activeElement instanceof HTMLElement
    ? document.activeElement.dataset['rowLink']
    : undefined

/** Whether the focus is in a list: elsewhere the arrow keys scroll the page. */
export const isInList = (element: Element): boolean =>
  element.closest('main [data-row], main .table-scroll') !== null

/** Focuses the first field of the page's search. Returns false if the page has none. */
export function focusSearch(): boolean {
  const fields = document.querySelectorAll<HTMLElement>(
    ':is(main search, main [role="search"]) :is(input, select, textarea, [contenteditable])',
  )
  const field = [...fields].find((one) => one.checkVisibility())
  field?.focus()
  return field !== undefined
}
