import type { Preview } from '@surehook/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api.ts'
import { JsonView } from '../../parts/data/json-view.tsx'
import { plural } from '../../parts/data/numbers.ts'
import { FaultNotice } from '../../parts/feedback/notice.tsx'
import { Warnings } from '../../parts/feedback/warnings.tsx'
import { Card } from '../../parts/layout/page.tsx'
import { type Draft, parseDraft } from './draft.ts'
import { useDebounced } from './use-debounced.ts'

const pauseMs = 350
const shown = 3

/** Shows which of the newest changes the draft would deliver. It sends and stores nothing. */
export function PreviewPanel({ draft }: { draft: Draft }) {
  const { parsed, violations } = parseDraft(draft)
  const asked = useDebounced(JSON.stringify(parsed), pauseMs)
  const { surehook, keyOf } = useApi()
  const { data, error } = useQuery({
    queryKey: keyOf('preview', asked),
    queryFn: ({ signal }) => surehook.webhooks.preview(JSON.parse(asked), { signal }),
    enabled: violations.length === 0,
    placeholderData: keepPreviousData,
  })
  return (
    <div className="preview">
      <Card title="Preview">
        <div className="stack" aria-live="polite">
          {draft.table === '' && <p className="quiet">Name a table to see its newest changes.</p>}
          {error !== null && <FaultNotice error={error} />}
          {error === null && draft.table !== '' && data && <PreviewOutcome preview={data} />}
        </div>
      </Card>
    </div>
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
