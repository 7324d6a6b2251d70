import type { DeliveryDetail } from '@surehook/client'
import { JsonView } from '../../parts/data/json-view.tsx'
import { milliseconds } from '../../parts/data/numbers.ts'
import { StatusBadge } from '../../parts/data/status-badge.tsx'
import { Countdown, ExactTime, Time } from '../../parts/data/time.tsx'
import { Card } from '../../parts/layout/page.tsx'
import { outcomeText } from '../deliveries/outcome-text.ts'
import './attempt-timeline.css'

type Attempt = DeliveryDetail['attemptLog'][number]

type AttemptTimelineProps = {
  delivery: DeliveryDetail
  /** The delays of the webhook, if it has its own. */
  delays: readonly string[] | undefined
}

/** Every attempt, and the ones that are planned. */
export function AttemptTimeline({ delivery, delays }: AttemptTimelineProps) {
  const { attemptLog, nextAttemptAt, attempts } = delivery
  return (
    <Card title="Attempts">
      <ol className="timeline">
        {attemptLog.map((attempt, index) => (
          <AttemptItem
            // oxlint-disable-next-line react/no-array-index-key -- the log only grows
            key={index}
            attempt={attempt}
          />
        ))}
        {attemptLog.length === 0 && <li className="quiet">There is no attempt yet.</li>}
        {nextAttemptAt !== null && (
          <li className="timeline-item planned">
            <div className="row">
              <strong>Attempt {attempts + 1}</strong>
              <span className="quiet">planned</span>
              <span>
                in <Countdown until={nextAttemptAt} />
              </span>
            </div>
            <FurtherDelays delays={delays?.slice(attempts)} />
          </li>
        )}
      </ol>
    </Card>
  )
}

function AttemptItem({ attempt }: { attempt: Attempt }) {
  const { at, outcome, httpStatus, errorClass, errorMessage, latencyMs, answer, url } = attempt
  return (
    <li className="timeline-item" data-outcome={outcome}>
      <div className="row">
        <strong>Attempt {attempt.attempt}</strong>
        <StatusBadge status={outcome} />
        <span>{outcomeText({ httpStatus, lastError: errorClass })}</span>
        <span className="quiet">{milliseconds(latencyMs)}</span>
        <span className="quiet">
          <Time at={at} /> · <ExactTime at={at} />
        </span>
      </div>
      <p className="quiet small mono breakable">{url}</p>
      {errorMessage !== null && <p className="small breakable">{errorMessage}</p>}
      {answer !== null && answer !== '' && (
        <details>
          <summary>The answer of the receiver</summary>
          <JsonView label={`Answer to attempt ${attempt.attempt}`} text={answer} />
        </details>
      )}
    </li>
  )
}

function FurtherDelays({ delays }: { delays: readonly string[] | undefined }) {
  if (delays === undefined || delays.length === 0) return null
  return (
    <p className="quiet small">If it fails, further attempts follow after {delays.join(', ')}.</p>
  )
}
