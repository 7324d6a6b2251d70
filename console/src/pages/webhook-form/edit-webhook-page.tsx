import type { Subscription } from '@surehook/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useParams } from 'react-router'
import { useApi } from '../../api/api.ts'
import { useWebhook } from '../../api/queries.ts'
import { webhookLabel } from '../../parts/data/webhook-label.ts'
import { faultOf } from '../../parts/feedback/faults.ts'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { useToasts } from '../../parts/feedback/toasts.tsx'
import { Page as Frame } from '../../parts/layout/page.tsx'
import { useNavigateAfterCall } from '../../parts/navigation/use-is-here.ts'
import { changeOf, type Draft, draftOf, stillTrue } from './draft.ts'
import { WebhookForm } from './webhook-form.tsx'

export function Page() {
  const { id = '' } = useParams()
  const query = useWebhook(id)
  return (
    <Frame
      title="Edit the webhook"
      parent={{ to: `/webhooks/${id}`, label: 'Webhook' }}
      description={query.data && <bdi>{webhookLabel(query.data.webhook)}</bdi>}
    >
      <QueryView query={query}>
        {({ webhook }) => <EditForm key={webhook.id} webhook={webhook} />}
      </QueryView>
    </Frame>
  )
}

function EditForm({ webhook: latest }: { webhook: Subscription }) {
  // The form compares with this version, even if another user saves a newer one.
  const [webhook] = useState(latest)
  const { surehook, keyOf } = useApi()
  const queries = useQueryClient()
  const navigate = useNavigateAfterCall()
  const { done } = useToasts()
  const [draft, setDraft] = useState(() => draftOf(webhook))
  const { violations: typed } = changeOf(draft, webhook)
  const [isTried, setTried] = useState(false)
  const back = `/webhooks/${webhook.id}`
  const saving = useMutation({
    mutationFn: (sent: Draft) =>
      surehook.webhooks.update(webhook.id, changeOf(sent, webhook).input),
    onSuccess: async ({ warnings = [] }) => {
      await queries.invalidateQueries({ queryKey: keyOf('webhooks') })
      // Only this answer says that the headers of the former receiver were dropped.
      const ofHeaders = warnings.find(({ field }) => field === 'policy.headers')
      done('Webhook saved', ofHeaders && `${ofHeaders.field} ${ofHeaders.message}`)
      await navigate(back)
    },
  })
  const refused = faultOf(saving.error).violations
  const run = () => {
    setTried(true)
    if (typed.length === 0) saving.mutate(draft)
  }
  return (
    <WebhookForm
      draft={draft}
      onChange={setDraft}
      violations={[
        ...(isTried ? typed : []),
        ...stillTrue(refused, { sent: saving.variables, draft }),
      ]}
      saving={{ ...saving, label: 'Save the webhook', run }}
      back={back}
    />
  )
}
