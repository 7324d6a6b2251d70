import type { Subscription } from '@surehook/client'
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import { useAction } from '../../api/use-action.ts'
import { Countdown } from '../../parts/data/time/time.tsx'
import { Dialog } from '../../parts/feedback/dialog.tsx'
import { faultOf, violationOf } from '../../parts/feedback/faults.ts'
import { FaultNotice, Notice } from '../../parts/feedback/notice.tsx'
import { Button } from '../../parts/forms/button.tsx'
import { SelectField } from '../../parts/forms/field.tsx'
import { newSecret } from '../webhook-form/new-secret.ts'
import { SecretField } from '../webhook-form/secret-field.tsx'

const overlaps = [
  [0, 'None: the old secret ends at once'],
  [3_600, '1 hour'],
  [86_400, '24 hours'],
  [604_800, '7 days'],
] as const

export function RotateDialog({ webhook, onClose }: { webhook: Subscription; onClose: () => void }) {
  const { surehook } = useApi()
  const [secret, setSecret] = useState(newSecret)
  const [secretOverlap, setOverlap] = useState(86_400)
  const rotating = useAction({
    run: () => surehook.webhooks.rotateSecret(webhook.id, { secret, secretOverlap }),
    done: () => 'Secret rotated',
    changes: ['webhooks'],
  })
  if (rotating.data !== undefined) {
    return <Rotated until={rotating.data.previousSecretExpiresAt} onClose={onClose} />
  }
  const { violations } = faultOf(rotating.error)
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Rotate the secret"
      actions={
        <Button look="primary" isPending={rotating.isPending} onClick={() => rotating.mutate()}>
          Rotate the secret
        </Button>
      }
    >
      <p>
        Give the new secret to your receiver during the overlap. Deliveries carry both signatures.
      </p>
      <SecretField
        label="New secret"
        value={secret}
        onChange={setSecret}
        violation={violationOf(violations, 'secret')}
      />
      <SelectField
        label="Overlap"
        value={secretOverlap}
        onChange={(event) => setOverlap(Number(event.target.value))}
        violation={violationOf(violations, 'secretOverlap')}
      >
        {overlaps.map(([seconds, label]) => (
          <option key={seconds} value={seconds}>
            {label}
          </option>
        ))}
      </SelectField>
      {rotating.error !== null && <FaultNotice error={rotating.error} />}
    </Dialog>
  )
}

type RotatedProps = { until: string | undefined; onClose: () => void }

function Rotated({ until, onClose }: RotatedProps) {
  return (
    <Dialog isOpen onClose={onClose} title="The secret was rotated">
      <Notice title="Deliveries are signed with the new secret">
        {until === undefined ? (
          <p>The old secret signs nothing any more.</p>
        ) : (
          <p>
            The old secret also signs, for another <Countdown until={until} />. Give the new secret
            to your receiver before that.
          </p>
        )}
      </Notice>
    </Dialog>
  )
}
