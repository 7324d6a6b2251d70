import { lazy, Suspense, useState } from 'react'
import { useLocation, useMatch, useNavigate } from 'react-router'
import { useEnvironments } from '../../api/queries.ts'
import type { Session } from '../../session/session.ts'
import { useKeeper } from '../../session/session-context.tsx'

/** Menus are not part of the first load. */
const ChoiceMenu = lazy(async () => {
  const menus = await import('../../parts/layout/menu.tsx')
  return { default: menus.ChoiceMenu }
})

/** The project and environment of the page. Where the user has several, it switches. */
export function TenantBadge({ session }: { session: Session }) {
  return (
    <section className="tenant" aria-label="Signed in">
      {session.kind === 'developer' ? <OfDeveloper session={session} /> : <OfOperator />}
    </section>
  )
}

type DeveloperSession = Extract<Session, { kind: 'developer' }>

function OfDeveloper({ session }: { session: DeveloperSession }) {
  const keeper = useKeeper()
  const { project, environment } = session
  const change = (chosen: string) => {
    if (chosen !== environment) keeper.become({ ...session, environment: chosen })
  }
  return <Tenant key={project} project={project} environment={environment} onChange={change} />
}

const ofEnvironment = '/operator/projects/:project/environments/:environment'

function OfOperator() {
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const project = useMatch('/operator/projects/:project/*')?.params.project
  const environment = useMatch(ofEnvironment)?.params.environment
  if (project === undefined) return <p>Operator</p>
  const change = (chosen: string) =>
    void navigate(pathname.replace(/[^/]+$/, encodeURIComponent(chosen)))
  return (
    <>
      <p>Operator</p>
      <Tenant key={project} project={project} environment={environment} onChange={change} />
    </>
  )
}

type TenantProps = {
  project: string
  /** None on a page of the whole project. */
  environment: string | undefined
  onChange: (environment: string) => void
}

function Tenant({ project, environment, onChange }: TenantProps) {
  const read = useEnvironments(environment === undefined ? undefined : project)
  const [shown, setShown] = useState(read)
  // After a switch, the session has read nothing yet. The menu stays, and so does the focus.
  if (read !== undefined && read !== shown) setShown(read)
  const known = shown ?? []
  const others = known.filter((name) => name !== environment)
  return (
    <dl>
      <div>
        <dt>Project</dt>
        <dd>{project}</dd>
      </div>
      {environment !== undefined && (
        <div>
          <dt>Environment</dt>
          <dd>
            {others.length === 0 ? (
              environment
            ) : (
              <Suspense fallback={environment}>
                <ChoiceMenu
                  label="Environment"
                  value={environment}
                  options={known}
                  onChange={onChange}
                />
              </Suspense>
            )}
          </dd>
        </div>
      )}
    </dl>
  )
}
