import type { InstallationHealth } from '@surehook/client'
import { useGateway } from '../../api/gateway-state.ts'
import { Stats } from '../../parts/data/stats.tsx'
import { Badge } from '../../parts/data/status-badge.tsx'
import { Time } from '../../parts/data/time/time.tsx'
import { Command } from '../../parts/feedback/empty-state.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { Card, Page as Frame } from '../../parts/layout/page.tsx'
import { type Finding, summaryOf } from './areas.ts'
import { ChecksCard } from './checks-card.tsx'
import { CircuitsCard } from './circuits-card.tsx'
import { deadLetterFindings } from './dead-letter-findings.ts'
import { glanceOf } from './glance.ts'
import { GroupsCard } from './groups-card.tsx'
import { ServicesCard } from './services-card.tsx'
import { SlotsCard } from './slots-card.tsx'
import { useHealth } from './use-health.ts'

export function Page() {
  const query = useHealth()
  const gateway = useGateway()
  return (
    <Frame
      title="Health"
      beside={query.data && <Summary health={query.data} />}
      description="The whole installation, read again every 10 seconds."
    >
      <QueryView query={query}>
        {(health) => (
          <Card>
            <Stats items={glanceOf(health)} />
          </Card>
        )}
      </QueryView>
      <ServicesCard health={query.data} gateway={gateway} />
      {query.data && <Details health={query.data} />}
      <MoreCard />
    </Frame>
  )
}

const findingsOf = (health: InstallationHealth): readonly Finding[] => [
  ...deadLetterFindings(health),
  ...health.findings,
]

function Summary({ health }: { health: InstallationHealth }) {
  const { tone, text } = summaryOf(findingsOf(health))
  return (
    <>
      <Badge tone={tone}>{text}</Badge>
      <span className="quiet small">
        Updated <Time at={health.at} />
      </span>
    </>
  )
}

const Details = ({ health }: { health: InstallationHealth }) => (
  <>
    <ChecksCard findings={findingsOf(health)} />
    <GroupsCard groups={health.groups} />
    <SlotsCard slots={health.slots} limitBytes={health.slotLimitBytes} />
    <CircuitsCard circuits={health.circuits} />
  </>
)

/** webhook-api makes the checks above. Others need access that it does not have. */
const MoreCard = () => (
  <Card title="What only the command checks">
    <div className="stack-tight">
      <p>
        <code>surehook doctor</code> also checks the variables of the services, the settings of
        brokers and topics, schemas, the mail server, clocks, certificates and the disk. It needs
        the operator’s credentials, so run it where they are.
      </p>
      <Command
        text={`npx surehook doctor --env-file production.env --url ${window.location.origin}`}
      />
    </div>
  </Card>
)
