import { Button } from '../../parts/forms/button.tsx'
import type { Session } from '../../session/session.ts'
import { useKeeper } from '../../session/session-context.tsx'

/** The project and environment of the page, and a link to sign out. */
export function TenantBadge({ session }: { session: Session }) {
  const keeper = useKeeper()
  return (
    <section className="tenant" aria-label="Signed in">
      {session.kind === 'developer' ? (
        <dl>
          <div>
            <dt>Project</dt>
            <dd>{session.project}</dd>
          </div>
          <div>
            <dt>Environment</dt>
            <dd>{session.environment}</dd>
          </div>
        </dl>
      ) : (
        <p>Operator</p>
      )}
      <Button look="ghost" icon="out" onClick={() => keeper.end()}>
        Sign out
      </Button>
    </section>
  )
}
