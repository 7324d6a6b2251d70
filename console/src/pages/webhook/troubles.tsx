import type { Endpoint, Subscription } from '@surehook/client'
import { plural } from '../../parts/data/numbers.ts'
import { Countdown, Due, Time } from '../../parts/data/time/time.tsx'
import { Notice } from '../../parts/feedback/notice.tsx'
import { Warnings } from '../../parts/feedback/warnings.tsx'
import { CloseCircuitButton } from './close-circuit-button.tsx'
import { ActiveButton } from './webhook-menu.tsx'

type TroublesProps = { webhook: Subscription; endpoint: Endpoint | undefined }

/** Reasons why no delivery goes out, each with the button that mends it, and secrets that end soon. */
export function Troubles({ webhook, endpoint }: TroublesProps) {
  const { active, disabledReason, disabledAt, previousSecretExpiresAt, warnings = [] } = webhook
  return (
    <>
      {!active && (
        <Notice
          tone="warn"
          title={disabledReason === undefined ? 'This webhook is inactive' : 'Surehook disabled it'}
        >
          {disabledReason !== undefined && <p>{disabledReason}</p>}
          {disabledAt !== undefined && (
            <p>
              Disabled <Time at={disabledAt} />.
            </p>
          )}
          <p>It gets no deliveries. Changes that commit meanwhile can be replayed later.</p>
          <p>
            <ActiveButton webhook={webhook} />
          </p>
        </Notice>
      )}
      {active && endpoint?.circuit === 'open' && (
        <Notice tone="warn" title="The circuit of this URL is open">
          <p className="breakable">{endpoint.url}</p>
          <p>
            <CircuitText endpoint={endpoint} />
          </p>
          <p>
            <CloseCircuitButton endpoint={endpoint} />
          </p>
        </Notice>
      )}
      {previousSecretExpiresAt !== undefined && (
        <Notice title="Two secrets sign the deliveries">
          <p>
            The old secret also signs, for another <Countdown until={previousSecretExpiresAt} />.
            Give the new secret to your receiver before that.
          </p>
        </Notice>
      )}
      <Warnings warnings={warnings} />
    </>
  )
}

/** Why a circuit is open, and how long. */
function CircuitText({ endpoint }: { endpoint: Endpoint }) {
  const { openUntil, consecutiveFailures, paused } = endpoint
  return (
    <>
      {consecutiveFailures > 0
        ? `${plural(consecutiveFailures, 'attempt')} in a row failed. `
        : 'Too many attempts failed. '}
      {plural(paused, 'delivery is', 'deliveries are')} paused.
      {openUntil !== null && (
        <>
          {' '}
          The next attempt is <Due at={openUntil} />.
        </>
      )}
    </>
  )
}
