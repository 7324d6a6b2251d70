/** What a pressed key means for the page, apart from the keys of its own. */
export type KeyAction = 'find' | 'next' | 'previous' | 'search' | 'help'

type Pressed = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>

type Focus = {
  /** The focus is in a field or in an element with keys of its own. */
  isTaken: boolean
  /** The focus is in a list. */
  isInList: boolean
}

const actions: Readonly<Record<string, KeyAction>> = {
  j: 'next',
  k: 'previous',
  '/': 'search',
  '?': 'help',
}
const arrows: Readonly<Record<string, KeyAction>> = { ArrowDown: 'next', ArrowUp: 'previous' }

/** ⌘K on Apple's systems, where Ctrl K edits text. Ctrl K elsewhere. */
export function isFindKey({ key, ctrlKey, metaKey, altKey }: Pressed, isApple: boolean): boolean {
  const [wanted, other] = isApple ? [metaKey, ctrlKey] : [ctrlKey, metaKey]
  return key.toLowerCase() === 'k' && wanted && !other && !altKey
}

/** Typing and keys with a modifier are not for lists. */
export function listKeyOf(pressed: Pressed, { isTaken, isInList }: Focus): KeyAction | undefined {
  if (isTaken || pressed.ctrlKey || pressed.metaKey || pressed.altKey) return undefined
  return actions[pressed.key] ?? (isInList ? arrows[pressed.key] : undefined)
}
