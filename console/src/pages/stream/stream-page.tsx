import { useState } from 'react'
import { acceptsFor } from '../../api/stream/accepts.ts'
import { useHeld } from '../../api/stream/use-held.ts'
import { useStream } from '../../api/stream/use-stream.ts'
import { ChangesTable } from '../../parts/data/change/changes-table.tsx'
import { plural } from '../../parts/data/numbers.ts'
import { EmptyState } from '../../parts/feedback/empty-state.tsx'
import { faultOf } from '../../parts/feedback/faults.ts'
import { Loading } from '../../parts/feedback/loading.tsx'
import { FaultNotice } from '../../parts/feedback/notice.tsx'
import { Button } from '../../parts/forms/button.tsx'
import { Switch } from '../../parts/forms/switch.tsx'
import { Card, Page as Frame } from '../../parts/layout/page.tsx'
import { StreamForm } from './stream-form.tsx'

export function Page() {
  const [asked, setAsked] = useState('{}')
  const [isReservedShown, setReservedShown] = useState(false)
  const { table } = JSON.parse(asked) as { table?: string }
  const stream = useStream(asked, acceptsFor(isReservedShown, table))
  const { view, isHeld, newer, toggle, release } = useHeld(stream)
  const { changes, received } = view
  const start = (next: string) => {
    release()
    if (next === asked) stream.restart()
    else setAsked(next)
  }
  const showReserved = (isOn: boolean) => {
    release()
    setReservedShown(isOn)
  }
  return (
    <Frame
      title="Stream"
      description="Changes of records as they commit, the newest first."
      actions={
        <>
          <Switch label="Reserved tables" isOn={isReservedShown} onChange={showReserved} />
          <Button onClick={toggle}>{isHeld ? 'Resume' : 'Pause'}</Button>
        </>
      }
    >
      <StreamForm
        current={asked}
        violations={faultOf(stream.error).violations}
        isRunning={stream.error === null}
        onStart={start}
      />
      {stream.error !== null && <FaultNotice error={stream.error} />}
      <p className="quiet small" aria-live="off">
        {received > 0 && `${plural(received, 'change')}, the newest ${changes.length} below.`}
        {isHeld && ` ${plural(newer, 'change')} came since you paused.`}
      </p>
      <Card isFlush>
        {changes.length > 0 ? (
          <ChangesTable label="Changes" rows={changes} />
        ) : view.isOpen ? (
          <EmptyState icon="stream" title="No change yet">
            <p>Change a record in another tab: the change appears here.</p>
            {isReservedShown || (
              <p>Changes of reserved tables, such as users and _webhooks, are hidden.</p>
            )}
          </EmptyState>
        ) : (
          view.error === null && <Loading label="Connecting to the stream" />
        )}
      </Card>
    </Frame>
  )
}
