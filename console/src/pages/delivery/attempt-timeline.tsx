import type { DeliveryDetail } from '@surehook/client'
import { JsonView } from '../../parts/data/json/json-view.tsx'
import { milliseconds } from '../../parts/data/numbers.ts'
import { Badge, StatusBadge } from '../../parts/data/status-badge.tsx'
import { Due, ExactTime, Time } from '../../parts/data/time/time.tsx'
import { outcomeText } from '../../parts/deliveries/outcome-text.ts'
import { Card } from '../../parts/layout/page.tsx'
import { type PlannedAttempt, plannedAttempts } from './planned-attempts.ts'
import './attempt-timeline.css'

type Attempt = DeliveryDetail['attemptLog'][number]

/** Every attempt, and the ones that are planned. */
export function AttemptTimeline({ delivery }: { delivery: DeliveryDetail }) {
  const { attemptLog, status, retryDelays } = delivery
  const [next, ...further] = plannedAttempts(delivery)
  return (
    <Card title="Attempts">
      <div className="stack">
        <ol className="timeline">
          {attemptLog.map((attempt, index) => (
            <AttemptItem
              // oxlint-disable-next-line react/no-array-index-key -- the log only grows
              key={index}
              attempt={attempt}
              isLastFailed={index === attemptLog.findLastIndex(hasFailed)}
            />
          ))}
          {attemptLog.length === 0 && <li className="quiet">There is no attempt yet.</li>}
          {next !== undefined && <NextAttempt planned={next} status={status} />}
          {further.map((planned) => (
            <FurtherAttempt key={planned.attempt} planned={planned} />
          ))}
        </ol>
        {next !== undefined && retryDelays !== undefined && (
          <p className="quiet small">
            If attempt {(further.at(-1) ?? next).attempt} fails, the delivery is a dead letter.
          </p>
        )}
      </div>
    </Card>
  )
}

const hasFailed = ({ errorClass }: Attempt) => errorClass !== null

type AttemptItemProps = { attempt: Attempt; isLastFailed: boolean }

function AttemptItem({ attempt, isLastFailed }: AttemptItemProps) {
  const { at, outcome, httpStatus, errorClass, errorMessage, latencyMs, answer, url } = attempt
  const isFailed = hasFailed(attempt)
  return (
    <li className="timeline-item" data-outcome={isFailed ? 'failed' : outcome}>
      <div className="row">
        <strong>Attempt {attempt.attempt}</strong>
        {isFailed ? <Badge tone="bad">Failed</Badge> : <StatusBadge status={outcome} />}
        <span>{outcomeText({ httpStatus, lastError: errorClass })}</span>
        <span className="quiet">{milliseconds(latencyMs)}</span>
        <span className="quiet">
          <Time at={at} /> · <ExactTime at={at} />
        </span>
      </div>
      <p className="quiet small mono breakable">{url}</p>
      {errorMessage !== null && <p className="small breakable">{errorMessage}</p>}
      {answer !== null && answer !== '' && (
        <details open={isLastFailed}>
          <summary>The answer of the receiver</summary>
          <JsonView label={`Answer to attempt ${attempt.attempt}`} text={answer} />
        </details>
      )}
    </li>
  )
}

type PlannedProps = { planned: PlannedAttempt }

function NextAttempt({ planned, status }: PlannedProps & { status: DeliveryDetail['status'] }) {
  return (
    <li className="timeline-item planned">
      <div className="row">
        <strong>Attempt {planned.attempt}</strong>
        <span className="quiet">planned</span>
        {planned.at === null ? (
          <span>
            {status === 'paused' ? 'when the webhook is active and its circuit is closed' : 'soon'}
          </span>
        ) : (
          <Due at={new Date(planned.at).toISOString()} />
        )}
      </div>
    </li>
  )
}

/** It takes place only if each attempt before it fails. */
function FurtherAttempt({ planned }: PlannedProps) {
  const at = planned.at === null ? null : new Date(planned.at).toISOString()
  return (
    <li className="timeline-item planned">
      <div className="row quiet">
        <strong>Attempt {planned.attempt}</strong>
        <span>
          {planned.after} after attempt {planned.attempt - 1}, if it fails
        </span>
        {at !== null && (
          <span>
            not before <ExactTime at={at} />
          </span>
        )}
      </div>
    </li>
  )
}
