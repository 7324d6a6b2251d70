import { useEffect, useRef, useState } from 'react'
import { Outlet, useLocation, useNavigation } from 'react-router'
import { Button } from '../../parts/forms/button.tsx'
import { KeysProvider } from '../../parts/keys/keys.tsx'
import { findKeys } from '../../parts/keys/shortcut.ts'
import type { Session } from '../../session/session.ts'
import { pages } from '../pages/pages.ts'
import { loadPalette, usePalette } from '../palette/use-palette.tsx'
import { Navigation } from './navigation.tsx'
import { SessionActions } from './session-actions.tsx'
import { TenantBadge } from './tenant-badge.tsx'
import { useWatchedSession } from './use-watched-session.ts'
import './shell.css'

/** The frame around every page: who is signed in, where one can go, and the page. */
export function Shell({ session }: { session: Session }) {
  useWatchedSession(session)
  const [isOpen, setOpen] = useState(false)
  const { state } = useNavigation()
  const main = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  useFocusOfPage(main, pathname)
  usePreloadedPages(session.kind)
  const { open, palette } = usePalette(session)
  return (
    <KeysProvider onFind={open}>
      <div className="shell">
        <a className="skip-link" href="#main" onClick={(event) => skipTo(event, main.current)}>
          Skip to the content
        </a>
        <header className="shell-head">
          <div className="brand">
            <img src="/console/icon.svg" alt="" width="22" height="22" />
            <span>Surehook</span>
          </div>
          <Button
            className="button secondary find"
            icon="search"
            aria-haspopup="dialog"
            onClick={open}
          >
            Search <kbd>{findKeys}</kbd>
          </Button>
          <Button
            className="button ghost shell-menu"
            icon={isOpen ? 'close' : 'menu'}
            aria-expanded={isOpen}
            aria-controls="navigation"
            onClick={() => setOpen(!isOpen)}
          >
            Menu
          </Button>
        </header>
        <div id="navigation" className="shell-side" data-open={isOpen}>
          <TenantBadge session={session} />
          <Navigation kind={session.kind} onNavigate={() => setOpen(false)} />
          <SessionActions />
        </div>
        <main id="main" ref={main} tabIndex={-1} aria-busy={state === 'loading'}>
          <Outlet key={session.kind === 'developer' ? session.environment : session.kind} />
        </main>
        {palette}
      </div>
    </KeysProvider>
  )
}

function skipTo(event: { preventDefault: () => void }, main: HTMLElement | null): void {
  event.preventDefault()
  main?.focus()
}

/** After a navigation, the next Tab and a screen reader begin at the new page. */
function useFocusOfPage(main: { current: HTMLElement | null }, pathname: string): void {
  const shown = useRef(pathname)
  useEffect(() => {
    if (shown.current === pathname) return
    shown.current = pathname
    window.scrollTo(0, 0)
    const title = main.current?.querySelector<HTMLElement>('h1')
    const target = title ?? main.current
    target?.focus({ preventScroll: true })
  }, [main, pathname])
}

const preloadAfterMs = 1_000

/** The pages of the navigation open without waiting for their scripts. */
function usePreloadedPages(kind: Session['kind']): void {
  useEffect(() => {
    const preload = () => {
      const linked = pages.filter((page) => page.link !== undefined && page.for === kind)
      // A page whose script does not come loads it when it is opened, and reports the failure then.
      for (const load of [loadPalette, ...linked.map((page) => page.load)]) {
        load().catch(() => undefined)
      }
    }
    const timer = setTimeout(preload, preloadAfterMs)
    return () => clearTimeout(timer)
  }, [kind])
}
