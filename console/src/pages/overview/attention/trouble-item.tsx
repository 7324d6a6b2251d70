import { Link } from 'react-router'
import { plural } from '../../../parts/data/numbers.ts'
import { Badge } from '../../../parts/data/status-badge.tsx'
import { Due } from '../../../parts/data/time/time.tsx'
import { ButtonLink } from '../../../parts/forms/button.tsx'
import { CloseCircuitButton } from '../../webhook/close-circuit-button.tsx'
import { ActiveButton } from '../../webhook/webhook-menu.tsx'
import { RecoverButton } from './recover-button.tsx'
import type { Trouble } from './troubles.ts'

/** A URL: what is wrong, the worst of it in a sentence, and the buttons that mend it. */
export function TroubleItem({ trouble }: { trouble: Trouble }) {
  return (
    <li className="trouble" data-row>
      <div className="trouble-text">
        <div className="row">
          <Link to={pathOf(trouble)} className="trouble-name">
            {trouble.label}
          </Link>
          <TroubleBadges trouble={trouble} />
        </div>
        <p className="trouble-why">
          <Why trouble={trouble} />
        </p>
      </div>
      <div className="row">
        <Remedies trouble={trouble} />
      </div>
    </li>
  )
}

function pathOf({ webhooks: [only, ...others] }: Trouble): string {
  return only === undefined || others.length > 0 ? '/endpoints' : `/webhooks/${only.id}`
}

function TroubleBadges({ trouble }: { trouble: Trouble }) {
  const { open, disabled, dead, deadLetters, warned, webhooks } = trouble
  return (
    <>
      {open !== undefined && <Badge tone="bad">Circuit open</Badge>}
      {disabled.length > 0 && <Badge tone="bad">{named(disabled.length, 'Disabled')}</Badge>}
      {deadLetters > 0 && <DeadLettersLink dead={dead} count={deadLetters} />}
      {warned.length > 0 && <Badge tone="warn">{named(warned.length, 'Warning')}</Badge>}
      {webhooks.length > 1 && (
        <span className="quiet small">{plural(webhooks.length, 'webhook')}</span>
      )}
    </>
  )
}

type DeadLettersLinkProps = { dead: Trouble['dead']; count: number }

function DeadLettersLink({ dead: [only, ...others], count }: DeadLettersLinkProps) {
  const of = only === undefined || others.length > 0 ? '' : `&webhookId=${only.id}`
  return (
    <Link className="badge bad" to={`/deliveries?status=dead_letter&within=24h${of}`}>
      {plural(count, 'dead letter', 'dead letters')}
    </Link>
  )
}

const named = (found: number, name: string) =>
  found === 1 ? name : `${found} ${name.toLowerCase()}`

/** The worst trouble. The badges name the others. */
function Why({ trouble: { open, disabled, deadLetters, warned } }: { trouble: Trouble }) {
  if (open !== undefined) {
    return (
      <>
        {plural(open.paused, 'delivery', 'deliveries')} paused
        {open.openUntil !== null && (
          <>
            , next attempt <Due at={open.openUntil} />
          </>
        )}
      </>
    )
  }
  const [reason] = disabled.map(({ disabledReason }) => disabledReason)
  if (reason !== undefined) return reason
  if (deadLetters > 0) {
    return `All ${deadLetters === 1 ? 'its' : 'their'} attempts failed in the last 24 hours.`
  }
  const [warning] = warned.flatMap(({ warnings = [] }) => warnings)
  if (warning === undefined) return null
  return (
    <>
      Its <code>{warning.field}</code> {warning.message}.
    </>
  )
}

function Remedies({ trouble: { open, disabled, dead, warned } }: { trouble: Trouble }) {
  const [[firstDisabled], [firstWarned]] = [disabled, warned]
  return (
    <>
      {open !== undefined && <CloseCircuitButton endpoint={open} />}
      {firstDisabled !== undefined && <ActiveButton webhook={firstDisabled} />}
      {dead.length > 0 && <RecoverButton webhooks={dead} />}
      {firstWarned !== undefined && (
        <ButtonLink look="ghost" to={`/webhooks/${firstWarned.id}/edit`}>
          Edit the webhook
        </ButtonLink>
      )}
    </>
  )
}
