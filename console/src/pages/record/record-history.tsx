import { useEffect, useState } from 'react'
import { useStream } from '../../api/stream/use-stream.ts'
import { ChangesTable } from '../../parts/data/change/changes-table.tsx'
import { FaultNotice } from '../../parts/feedback/notice.tsx'
import { Card } from '../../parts/layout/page.tsx'

/** What the log still has of a record. New changes appear at the top. */
export function RecordHistory({ table, recordId }: { table: string; recordId: string }) {
  const asked = JSON.stringify({ table, filter: { id: recordId }, from: '7d' })
  const { isOpen, changes, error } = useStream(asked)
  const isQuiet = useIsQuiet(isOpen)
  return (
    <Card title="Changes of the last 7 days" isFlush={changes.length > 0}>
      {error !== null && <FaultNotice error={error} />}
      {changes.length === 0 ? (
        <p className="quiet" role="status">
          {isQuiet && 'No change so far. '}
          Changes appear here as the log is read.
        </p>
      ) : (
        <ChangesTable label="Changes of the record" rows={changes} />
      )}
    </Card>
  )
}

const quietMs = 1_000

/** Whether the stream has been open for a second. It does not tell when it has read the log. */
function useIsQuiet(isOpen: boolean): boolean {
  const [isQuiet, setQuiet] = useState(false)
  useEffect(() => {
    if (!isOpen) return
    const timer = setTimeout(() => setQuiet(true), quietMs)
    return () => {
      clearTimeout(timer)
      setQuiet(false)
    }
  }, [isOpen])
  return isQuiet
}
