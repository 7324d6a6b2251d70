export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

/** `public/theme.js` reads it before the first paint. */
const storedAs = 'surehook.theme'

export const themeIn = (text: string | null | undefined): Theme =>
  themes.find((theme) => theme === text) ?? 'system'

/** What the page shows. */
export const currentTheme = (): Theme => themeIn(document.documentElement.dataset['theme'])

/** Shows the theme. The system's own needs no mark. */
function show(theme: Theme): void {
  const { dataset } = document.documentElement
  if (theme === 'system') delete dataset['theme']
  else dataset['theme'] = theme
}

/** Shows the theme and remembers it for all tabs. */
export function chooseTheme(theme: Theme): void {
  show(theme)
  try {
    if (theme === 'system') localStorage.removeItem(storedAs)
    else localStorage.setItem(storedAs, theme)
  } catch {
    // The browser blocks site data, or the storage is full. The theme lasts until a reload.
  }
  for (const listener of listeners) listener()
}

const listeners = new Set<() => void>()

/** Calls back when this or another tab chose a theme. */
export function onTheme(listener: () => void): () => void {
  const onStorage = ({ key, newValue }: StorageEvent) => {
    // Without a key, everything was cleared.
    if (key !== storedAs && key !== null) return
    show(themeIn(newValue))
    listener()
  }
  window.addEventListener('storage', onStorage)
  listeners.add(listener)
  return () => {
    window.removeEventListener('storage', onStorage)
    listeners.delete(listener)
  }
}
