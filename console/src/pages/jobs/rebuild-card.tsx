import type { HistoryRebuild } from '@surehook/client'
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import { useAction } from '../../api/use-action.ts'
import { ExactTime, Time } from '../../parts/data/time/time.tsx'
import { ConfirmDialog } from '../../parts/feedback/dialog.tsx'
import { Button } from '../../parts/forms/button.tsx'
import { Card, Facts } from '../../parts/layout/page.tsx'
import { rebuildText, rebuiltShare } from './jobs-text.ts'

/** The rebuild that runs, or else the newest one. */
export function RebuildCard({ rebuild }: { rebuild: HistoryRebuild | null }) {
  const isRunning = rebuild?.state === 'running'
  return (
    <Card title="Rebuild of the delivery history" actions={!isRunning && <RebuildButton />}>
      {rebuild === null ? (
        <p className="quiet">
          The history was never rebuilt. Rebuild it if it lacks deliveries that the topics still
          have.
        </p>
      ) : (
        <Progress rebuild={rebuild} />
      )}
    </Card>
  )
}

function Progress({ rebuild }: { rebuild: HistoryRebuild }) {
  const { askedAt, finishedAt, since } = rebuild
  const share = rebuiltShare(rebuild)
  return (
    <div className="stack">
      <div className="stack-tight">
        <progress
          className="jobs-progress"
          aria-label="Progress of the rebuild"
          max={1}
          {...(share !== undefined && { value: share })}
        />
        <p>{rebuildText(rebuild)}</p>
      </div>
      <Facts
        items={[
          ['Started', <Time key="asked" at={askedAt} />],
          ['Finished', finishedAt === null ? 'Not yet' : <Time key="end" at={finishedAt} />],
          ['Oldest record', since === null ? '–' : <ExactTime key="since" at={since} />],
        ]}
      />
    </div>
  )
}

function RebuildButton() {
  const { surehook } = useApi()
  const [isAsking, setAsking] = useState(false)
  const starting = useAction({
    run: () => surehook.admin.installation.rebuildHistory(),
    done: () => 'The rebuild began',
    changes: ['installation'],
    after: () => setAsking(false),
  })
  return (
    <>
      <Button onClick={() => setAsking(true)}>Rebuild the history</Button>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title="Rebuild the delivery history?"
        action="Rebuild the history"
        isDangerous
        running={starting}
        onConfirm={() => starting.mutate()}
      >
        <p>
          Surehook empties the history of all tenants and reads it again from the topics. Until it
          ends, lists of deliveries are incomplete and recoveries wait.
        </p>
        <p>Deliveries go on, and new ones show at once.</p>
      </ConfirmDialog>
    </>
  )
}
