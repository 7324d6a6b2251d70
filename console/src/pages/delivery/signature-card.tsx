import type { DeliveryDetail } from '@surehook/client'
import { type ChangeEvent, type FormEvent, useState } from 'react'
import { Notice } from '../../parts/feedback/notice.tsx'
import { Button } from '../../parts/forms/button.tsx'
import { TextField } from '../../parts/forms/field.tsx'
import { Card } from '../../parts/layout/page.tsx'
import { webhookSignature } from './signature.ts'

type Verdict = { isGenuine: boolean; expected: string } | { error: string }

/**
 * Compares a signature that a receiver got with one made here. The secret never leaves the page.
 */
export function SignatureCard({ delivery }: { delivery: DeliveryDetail }) {
  const { body, webhookId } = delivery
  const [secret, setSecret] = useState('')
  const [timestamp, setTimestamp] = useState('')
  const [signature, setSignature] = useState('')
  const [verdict, setVerdict] = useState<Verdict | null>(null)
  if (body === null || webhookId === null) return null
  /** A verdict is about what was typed then. */
  const typed = (set: (value: string) => void) => (event: ChangeEvent<HTMLInputElement>) => {
    set(event.target.value.trim())
    setVerdict(null)
  }
  const check = (event: FormEvent) => {
    event.preventDefault()
    verify(secret, { id: webhookId, timestamp: Number(timestamp), body }, signature).then(
      setVerdict,
      () => setVerdict({ error: 'The secret is not valid base64, or the page is not on https.' }),
    )
  }
  return (
    <Card title="Check a signature">
      <form className="stack" onSubmit={check}>
        <p className="quiet">
          Your receiver refuses this delivery? Paste what it got. The secret stays in this page.
        </p>
        <div className="columns">
          <TextField
            label="Signing secret"
            type="password"
            required
            value={secret}
            onChange={typed(setSecret)}
          />
          <TextField
            label="webhook-timestamp"
            inputMode="numeric"
            pattern="\d+"
            required
            value={timestamp}
            onChange={typed(setTimestamp)}
          />
          <TextField
            label="webhook-signature"
            required
            value={signature}
            onChange={typed(setSignature)}
          />
        </div>
        <div>
          <Button type="submit">Check</Button>
        </div>
        <div role="status">{verdict !== null && <VerdictNotice verdict={verdict} />}</div>
      </form>
    </Card>
  )
}

async function verify(
  secret: string,
  signed: Parameters<typeof webhookSignature>[1],
  received: string,
): Promise<Verdict> {
  const expected = await webhookSignature(secret, signed)
  return { isGenuine: received.split(' ').includes(expected), expected }
}

function VerdictNotice({ verdict }: { verdict: Verdict }) {
  if ('error' in verdict) return <Notice tone="warn" title={verdict.error} />
  if (verdict.isGenuine) return <Notice title="The signature is genuine" />
  return (
    <Notice tone="warn" title="The signature does not fit">
      <p>
        This secret and timestamp give <code className="breakable">{verdict.expected}</code>
      </p>
    </Notice>
  )
}
