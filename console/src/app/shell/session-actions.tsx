import { Button } from '../../parts/forms/button.tsx'
import { useKeys } from '../../parts/keys/keys.tsx'
import { ThemeSwitch } from '../../parts/theme/theme-switch.tsx'
import { useKeeper } from '../../session/session-context.tsx'

/** What concerns the user and no page. */
export function SessionActions() {
  const keeper = useKeeper()
  const keys = useKeys()
  return (
    <section className="session-actions" aria-label="Settings">
      <ThemeSwitch />
      <div className="row spread">
        <Button look="ghost" icon="out" onClick={() => keeper.end()}>
          Sign out
        </Button>
        <Button look="ghost" onClick={keys.show}>
          Keys <kbd>?</kbd>
        </Button>
      </div>
    </section>
  )
}
