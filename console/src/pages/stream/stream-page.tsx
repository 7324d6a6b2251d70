import { useState } from 'react'
import { useStream } from '../../api/stream/use-stream.ts'
import { plural } from '../../parts/data/numbers.ts'
import { ChangesTable } from '../../parts/data/tables/changes-table.tsx'
import { EmptyState } from '../../parts/feedback/empty-state.tsx'
import { faultOf } from '../../parts/feedback/faults.ts'
import { Loading } from '../../parts/feedback/loading.tsx'
import { FaultNotice } from '../../parts/feedback/notice.tsx'
import { Button } from '../../parts/forms/button.tsx'
import { Card, Page as Frame } from '../../parts/layout/page.tsx'
import { StreamForm } from './stream-form.tsx'

export function Page() {
  const [asked, setAsked] = useState('{}')
  const [isHeld, setHeld] = useState(false)
  const view = useStream(asked)
  const [held, setHeldView] = useState(view)
  const { changes, received } = isHeld ? held : view
  const hold = () => {
    setHeldView(view)
    setHeld(!isHeld)
  }
  return (
    <Frame
      title="Stream"
      description="Changes of records as they commit, the newest first."
      actions={<Button onClick={hold}>{isHeld ? 'Resume' : 'Pause'}</Button>}
    >
      <StreamForm current={asked} violations={faultOf(view.error).violations} onStart={setAsked} />
      {view.error !== null && <FaultNotice error={view.error} />}
      <p className="quiet small" aria-live="off">
        {received > 0 && `${plural(received, 'change')}, the newest ${changes.length} below.`}
        {isHeld && ` ${plural(view.received - received, 'change')} came since you paused.`}
      </p>
      <Card isFlush>
        {changes.length > 0 ? (
          <ChangesTable label="Changes" rows={changes} />
        ) : view.isOpen ? (
          <EmptyState icon="stream" title="No change yet">
            <p>Change a record in another tab: the change appears here.</p>
          </EmptyState>
        ) : (
          view.error === null && <Loading label="Connecting to the stream" />
        )}
      </Card>
    </Frame>
  )
}
