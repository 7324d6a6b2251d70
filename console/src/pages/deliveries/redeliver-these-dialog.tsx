import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import { countedAction } from '../../api/counted-action.ts'
import { useAbortable } from '../../api/use-abortable.ts'
import { type RowCount, useCount } from '../../api/use-count.ts'
import { ConfirmDialog, Dialog } from '../../parts/feedback/dialog.tsx'
import { FaultNotice } from '../../parts/feedback/notice.tsx'
import {
  outcomeText,
  progressText,
  questionText,
  redeliverThese,
  searchOf,
} from './redeliver-these.ts'

type RedeliverTheseProps = { params: URLSearchParams; onClose: () => void }

/** Sends everything again that the filters find, after it counted. */
export function RedeliverTheseDialog({ params, onClose }: RedeliverTheseProps) {
  const [query] = useState(() => searchOf(params, new Date()))
  const [counted, setCounted] = useState<RowCount>()
  const { sent, run, stop } = useRun(query)
  if (run.data !== undefined) {
    return (
      <Dialog isOpen onClose={onClose} title={run.data.refusal === null ? 'Sent again' : 'Stopped'}>
        <p role="status">{outcomeText(run.data)}</p>
        {run.data.refusal !== null && <FaultNotice error={run.data.refusal} />}
      </Dialog>
    )
  }
  if (run.isPending) {
    return (
      <Dialog isOpen onClose={stop} title="Sending again" dismiss="Stop" actions={null}>
        <p>{progressText(sent, counted)}</p>
      </Dialog>
    )
  }
  const start = (found: RowCount | undefined) => {
    setCounted(found)
    run.mutate()
  }
  return <Question query={query} onClose={onClose} onConfirm={start} />
}

type Query = ReturnType<typeof searchOf>
type QuestionProps = {
  query: Query
  onClose: () => void
  onConfirm: (counted: RowCount | undefined) => void
}

const idle = { isPending: false, error: null }

function Question({ query, onClose, onConfirm }: QuestionProps) {
  const counting = useCount([query])
  const { data, error } = counting
  const { action, isReady } = countedAction('Redeliver these', counting)
  const isNone = data !== undefined && data.found === 0 && !data.isMore
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title="Redeliver what the filters find?"
      action={action}
      isReady={isReady && !isNone}
      running={idle}
      onConfirm={() => onConfirm(data)}
    >
      <p role="status">
        {data !== undefined && questionText(data)}
        {data === undefined && (error === null ? 'Counting…' : 'They could not be counted.')}
      </p>
      <p>
        These are the deliveries of all pages. Each receiver gets the same bytes again, with the
        same <code>webhook-id</code>. A delivery that was sent again before is sent once more.
      </p>
    </ConfirmDialog>
  )
}

const changed = ['deliveries', 'webhooks', 'events']

/** Leaving the page stops the run too. */
function useRun(query: Query) {
  const { surehook, keyOf } = useApi()
  const queries = useQueryClient()
  const [sent, setSent] = useState(0)
  const { newSignal, stop } = useAbortable()
  const run = useMutation({
    mutationFn: () => {
      const signal = newSignal()
      return redeliverThese({
        found: surehook.deliveries.iterate({ ...query, limit: 100 }, { signal }),
        // Stopping waits for a send that began: otherwise nobody knows whether it happened.
        redeliver: ({ webhookId, id }) => surehook.deliveries.redeliver(webhookId, id),
        onSent: setSent,
        signal,
      })
    },
    onSettled: () => {
      for (const part of changed) void queries.invalidateQueries({ queryKey: keyOf(part) })
    },
  })
  return { sent, run, stop }
}
