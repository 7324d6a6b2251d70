/** Whether somebody reads the list: then a row must not move. */
export function isBeingRead(list: HTMLElement | null): boolean {
  if (list === null) return false
  const isScrolled = list.getBoundingClientRect().top < 0
  return isScrolled || hasAttention(list) || isInDialog(document.activeElement)
}

const rows = 'tbody tr:focus-within, tbody tr:hover'

/** The focus, a mouse or a selection is in a row. A finger that lifted still counts as hovering. */
function hasAttention(list: HTMLElement): boolean {
  const found = window.matchMedia('(hover: hover)').matches ? rows : 'tbody tr:focus-within'
  return list.querySelector(found) !== null || isSelectedIn(list)
}

function isSelectedIn(list: HTMLElement): boolean {
  const selection = document.getSelection()
  return selection !== null && !selection.isCollapsed && list.contains(selection.anchorNode)
}

const isInDialog = (element: Element | null) =>
  (element?.closest('[role="dialog"], [role="alertdialog"]') ?? null) !== null
