import { type ComponentType, useState } from 'react'
import { useToasts } from '../../parts/feedback/toasts.tsx'
import type { Session } from '../../session/session.ts'
import type { PaletteProps } from './palette.tsx'

/** Its script is not part of the first load. */
export const loadPalette = () => import('./palette.tsx')

/** The palette, once it is opened, and how to open it. */
export function usePalette(session: Session) {
  const [Palette, setPalette] = useState<ComponentType<PaletteProps> | null>(null)
  const { failed } = useToasts()
  const open = () => {
    loadPalette().then(
      (loaded) => setPalette(() => loaded.Palette),
      (err: unknown) => failed('The search did not open', err),
    )
  }
  const close = () => setPalette(null)
  return { open, palette: Palette && <Palette session={session} onClose={close} /> }
}
