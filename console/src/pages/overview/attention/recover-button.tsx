import type { Subscription } from '@surehook/client'
import { useState } from 'react'
import { Button } from '../../../parts/forms/button.tsx'
import { RecoverDialog } from '../../webhook/recover-dialog.tsx'

export function RecoverButton({ webhooks }: { webhooks: readonly Subscription[] }) {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Button onClick={() => setAsking(true)}>Recover</Button>
      {isAsking && <RecoverDialog webhooks={webhooks} onClose={() => setAsking(false)} />}
    </>
  )
}
