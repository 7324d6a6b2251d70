import {
  createContext,
  type ReactNode,
  use,
  useCallback,
  useEffect,
  useEffectEvent,
  useMemo,
  useState,
} from 'react'
import { isFindKey, listKeyOf } from './key-action.ts'
import { KeysDialog } from './keys-dialog.tsx'
import { focusRow, focusSearch, isInList } from './list-rows.ts'
import type { PageKey } from './page-key.ts'
import { isApple } from './shortcut.ts'

type Keys = {
  /** Adds the keys of a page. Returns how to remove them. */
  add: (keys: readonly PageKey[]) => () => void
  /** Shows which keys there are. */
  show: () => void
}

const KeysContext = createContext<Keys | null>(null)

export function useKeys(): Keys {
  const keys = use(KeysContext)
  if (keys === null) throw new Error('no keys')
  return keys
}

/** @param keys a constant, or memoised */
export function usePageKeys(keys: readonly PageKey[]): void {
  const { add } = useKeys()
  useEffect(() => add(keys), [add, keys])
}

const none: readonly PageKey[] = []

type KeysProviderProps = {
  /** Opens the palette. */
  onFind: () => void
  children: ReactNode
}

/** Listens to the keys of all lists, of the page and of the palette. */
export function KeysProvider({ onFind, children }: KeysProviderProps) {
  const [own, setOwn] = useState(none)
  const [isHelping, setHelping] = useState(false)
  const add = useCallback((keys: readonly PageKey[]) => {
    setOwn(keys)
    return () => setOwn((current) => (current === keys ? none : current))
  }, [])
  const keys = useMemo(() => ({ add, show: () => setHelping(true) }), [add])
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const act = actionOf(event, own, { onFind, onHelp: keys.show })
    if (act === undefined) return
    event.preventDefault()
    act()
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event)
    document.addEventListener('keydown', listener)
    return () => document.removeEventListener('keydown', listener)
  }, [])
  return (
    <KeysContext value={keys}>
      {children}
      {isHelping && <KeysDialog own={own} onClose={() => setHelping(false)} />}
    </KeysContext>
  )
}

type Openers = { onFind: () => void; onHelp: () => void }

function actionOf(event: KeyboardEvent, own: readonly PageKey[], { onFind, onHelp }: Openers) {
  const { target } = event
  if (event.defaultPrevented || event.isComposing || !(target instanceof Element)) return undefined
  const isInDialog = document.querySelector(dialogs) !== null
  if (isFindKey(event, isApple)) return isInDialog ? undefined : onFind
  const focus = {
    isTaken: isInDialog || target.closest(ownKeys) !== null,
    isInList: isInList(target),
  }
  switch (listKeyOf(event, focus)) {
    case 'next':
      return () => focusRow(1)
    case 'previous':
      return () => focusRow(-1)
    case 'search':
      return () => focusSearch() || onFind()
    case 'help':
      return onHelp
    default:
      return focus.isTaken || hasModifier(event)
        ? undefined
        : own.find(({ key }) => key === event.key)?.act
  }
}

const hasModifier = ({ ctrlKey, metaKey, altKey }: KeyboardEvent) => ctrlKey || metaKey || altKey

/** Messages are dialogs for a screen reader too, but nobody must answer them. */
const dialogs = '.dialog'
/** Fields and menus have keys of their own. */
const ownKeys =
  'input:not([type="checkbox"]), select, textarea, [contenteditable], [role="menu"], [role="listbox"]'
