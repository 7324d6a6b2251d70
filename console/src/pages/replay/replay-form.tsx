import type { Subscription } from '@surehook/client'
import { type FormEvent, useState } from 'react'
import { useSearchParams } from 'react-router'
import { useApi } from '../../api/api.ts'
import { useAction } from '../../api/use-action.ts'
import { countText, useCount } from '../../api/use-count.ts'
import { faultOf, violationOf } from '../../parts/feedback/faults.ts'
import { FaultNotice, Notice } from '../../parts/feedback/notice.tsx'
import { FormActions } from '../../parts/forms/form-actions.tsx'
import { choiceOf, type Span, spanOf, withChoice } from '../../parts/forms/span/span.ts'
import { SpanFields } from '../../parts/forms/span/span-fields.tsx'
import { Card } from '../../parts/layout/page.tsx'
import { useIsHere } from '../../parts/navigation/use-is-here.ts'

type ReplayFormProps = { webhook: Subscription; onStart: (replayId: string) => void }

/** Chooses the span, and says how many deliveries were made in it. */
export function ReplayForm({ webhook, onStart }: ReplayFormProps) {
  const { surehook } = useApi()
  const [now] = useState(() => new Date())
  const [params, setParams] = useSearchParams()
  const isHere = useIsHere()
  const [isTried, setTried] = useState(false)
  const choice = choiceOf(params)
  const { span, violations: typed } = spanOf(choice, now)
  const starting = useAction({
    run: (asked: Span) => surehook.webhooks.replay(webhook.id, asked),
    done: () => 'Replay started',
    changes: ['webhooks', 'deliveries'],
    after: ({ replayId }) => {
      if (isHere()) onStart(replayId)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (span !== null) starting.mutate(span)
  }
  const violations = [...(isTried ? typed : []), ...faultOf(starting.error).violations]
  return (
    <Card title="Which changes">
      <form className="stack" onSubmit={submit} noValidate>
        <SpanFields
          choice={choice}
          onChange={(part) => setParams(withChoice(params, part), { replace: true })}
          faultAt={(field) => violationOf(violations, field)}
        />
        {span !== null && <WhatWasMade webhookId={webhook.id} {...span} />}
        <p className="quiet">
          Each change that matches the filter becomes a new delivery, with its{' '}
          <code>webhook-id</code> of then. A receiver that remembers ids ignores what it has.
        </p>
        {!webhook.active && (
          <Notice tone="warn" title="This webhook is inactive">
            <p>It gets no deliveries. Activate it before you start a replay.</p>
          </Notice>
        )}
        {starting.error !== null && <FaultNotice error={starting.error} />}
        <FormActions
          action="Start the replay"
          isPending={starting.isPending}
          back={`/webhooks/${webhook.id}`}
        />
      </form>
    </Card>
  )
}

function WhatWasMade({ webhookId, from, ...end }: Span & { webhookId: string }) {
  const { data, error } = useCount([{ webhookId, since: from, ...end }])
  return (
    <p role="status">
      {data !== undefined && `${capital(countText(data))} of this webhook began in this time.`}
      {data === undefined && (error === null ? 'Counting…' : 'They could not be counted.')}
    </p>
  )
}

const capital = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`
