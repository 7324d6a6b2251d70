import type { Preview } from '@surehook/client'
import { JsonView } from '../../parts/data/json/json-view.tsx'
import { plural } from '../../parts/data/numbers.ts'
import { faultOf } from '../../parts/feedback/faults.ts'
import { FaultNotice, Notice } from '../../parts/feedback/notice.tsx'
import { Warnings } from '../../parts/feedback/warnings.tsx'
import { pathBelow } from '../../parts/filter/model/faults.ts'
import { Card } from '../../parts/layout/page.tsx'
import type { PreviewState } from './use-preview.ts'

const shown = 3

type PreviewPanelProps = Omit<PreviewState, 'violations'> & { table: string }

/** Shows which of the newest changes the draft would deliver. It sends and stores nothing. */
export function PreviewPanel({ table, preview, error, isWaiting }: PreviewPanelProps) {
  return (
    <div className="preview">
      <Card title="Preview">
        <div className="stack" aria-live="polite">
          {table === '' && <p className="quiet">Name a table to see its newest changes.</p>}
          {error !== null && <PreviewFault error={error} />}
          {isWaiting && table !== '' && (
            <p className="quiet">The preview goes on when the form is complete.</p>
          )}
          {error === null && table !== '' && preview && <PreviewOutcome preview={preview} />}
        </div>
      </Card>
    </div>
  )
}

/** Faults of the filter show at its conditions. */
function PreviewFault({ error }: { error: unknown }) {
  const { violations } = faultOf(error)
  const isOfFilter = violations.every(({ field }) => pathBelow('filter', field) !== null)
  if (violations.length === 0 || !isOfFilter) return <FaultNotice error={error} />
  return (
    <Notice tone="warn" title="The filter is not valid">
      <p>The conditions say why. The preview goes on when they are fixed.</p>
    </Notice>
  )
}

function PreviewOutcome({ preview }: { preview: Preview }) {
  const { scanned, matched, samples, warnings = [] } = preview
  if (scanned === 0) return <p className="quiet">This table has no changes yet.</p>
  return (
    <>
      <p className="preview-count">
        {matched} of the newest {plural(scanned, 'change')} match
      </p>
      <div className="preview-bar" aria-hidden="true">
        <svg viewBox="0 0 100 1" preserveAspectRatio="none">
          <rect width={(matched / scanned) * 100} height="1" fill="currentColor" />
        </svg>
      </div>
      <Warnings warnings={warnings} />
      {samples.length > 0 && (
        <h3>What would be sent{samples.length > shown && `: the newest ${shown}`}</h3>
      )}
      <ul className="preview-samples">
        {samples.slice(0, shown).map(({ eventId, body }) => (
          <li key={eventId}>
            <JsonView label={`Body of event ${eventId}`} text={body} />
          </li>
        ))}
      </ul>
    </>
  )
}
