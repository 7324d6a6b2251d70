import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { useApi } from '../../api/api.ts'
import { faultOf, violationOf } from '../../parts/feedback/faults.ts'
import { useToasts } from '../../parts/feedback/toasts.tsx'
import { Page as Frame } from '../../parts/layout/page.tsx'
import { useNavigateAfterCall } from '../../parts/navigation/use-is-here.ts'
import { type Draft, emptyDraft, newWebhookOf, stillTrue } from './draft.ts'
import { newSecret } from './new-secret.ts'
import { SecretField } from './secret-field.tsx'
import { WebhookForm } from './webhook-form.tsx'

export function Page() {
  const { surehook, keyOf } = useApi()
  const queries = useQueryClient()
  const navigate = useNavigateAfterCall()
  const { done } = useToasts()
  const [params] = useSearchParams()
  const [draft, setDraft] = useState(() => ({
    ...emptyDraft,
    table: params.get('table') ?? '',
    secret: newSecret(),
  }))
  const { violations: typed } = newWebhookOf(draft)
  const [isTried, setTried] = useState(false)
  const saving = useMutation({
    mutationFn: (sent: Draft) => surehook.webhooks.create(newWebhookOf(sent).input),
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: keyOf('webhooks') })
      done('Webhook created', 'Changes that commit from now on are delivered.')
      await navigate(`/webhooks/${id}`)
    },
  })
  const refused = faultOf(saving.error).violations
  const violations = [
    ...(isTried ? typed : []),
    ...stillTrue(refused, { sent: saving.variables, draft }),
  ]
  const run = () => {
    setTried(true)
    if (typed.length === 0) saving.mutate(draft)
  }
  return (
    <Frame title="New webhook" parent={{ to: '/webhooks', label: 'Webhooks' }}>
      <WebhookForm
        draft={draft}
        onChange={setDraft}
        violations={violations}
        saving={{ ...saving, label: 'Create the webhook', run }}
        back="/webhooks"
        secret={
          <SecretField
            value={draft.secret}
            onChange={(secret) => setDraft({ ...draft, secret })}
            violation={violationOf(violations, 'secret')}
          />
        }
      />
    </Frame>
  )
}
