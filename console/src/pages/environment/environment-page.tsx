import type { Environment } from '@surehook/client'
import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { useApi } from '../../api/api.ts'
import { Time } from '../../parts/data/time/time.tsx'
import { Notice } from '../../parts/feedback/notice.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { ButtonLink } from '../../parts/forms/button.tsx'
import { Card, Facts, Page as Frame } from '../../parts/layout/page.tsx'
import { EnvironmentActions } from './environment-actions.tsx'
import { KeysCard } from './keys-card.tsx'
import { SettingsForm } from './settings-form.tsx'

export function Page() {
  const { project = '', environment = '' } = useParams()
  const { keyOf, inTenant } = useApi()
  const query = useQuery({
    queryKey: keyOf('environments', project, environment),
    queryFn: ({ signal }) => inTenant(project, environment).admin.environments.get({ signal }),
  })
  return (
    <Frame
      title={`${project} / ${environment}`}
      parent={{ to: '/operator', label: 'Projects' }}
      actions={
        <>
          <ButtonLink icon="key" to={`/operator/projects/${project}/tokens`}>
            Tokens
          </ButtonLink>
          <EnvironmentActions project={project} environment={environment} />
        </>
      }
    >
      <QueryView query={query}>{(stored) => <Settings stored={stored} />}</QueryView>
      <KeysCard project={project} environment={environment} />
    </Frame>
  )
}

function Settings({ stored }: { stored: Environment }) {
  const { deletedAt } = stored
  // An older auth-service has no alerts.
  const notify: Environment['notify'] | undefined = stored.notify
  return (
    <>
      {deletedAt !== null && (
        <Notice tone="warn" title="This environment is being deleted">
          <p>
            It serves nobody since <Time at={deletedAt} />.
          </p>
        </Notice>
      )}
      {notify?.failures.map(({ recipient, at, reason }) => (
        <Notice key={recipient} tone="warn" title={`No alert reached ${recipient}`}>
          <p>
            {reason}, <Time at={at} />.
          </p>
        </Notice>
      ))}
      <Card>
        <Facts
          items={[
            ['Created', <Time key="created" at={stored.createdAt} />],
            ['Changed', <Time key="changed" at={stored.updatedAt} />],
          ]}
        />
      </Card>
      <SettingsForm key={stored.updatedAt} stored={stored} />
    </>
  )
}
