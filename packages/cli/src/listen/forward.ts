import type { StreamedChange } from '@surehook/client'
import type { ChangeOperation } from '@surehook/contracts/events'
import { type SigningKeys, signedHeaders } from '@surehook/matching/signed-headers'
import { reasonOf } from '@surehook/service-kit/errors'
import { UsageError } from '../cli/command.ts'
import { causeOf } from '../lib/cause-of.ts'

/** How the receiver answered. `status` is `null` without an answer. */
export type Answer = { status: number | null; error: string | null; ms: number }

export const isAccepted = ({ status }: Answer): boolean =>
  status !== null && status >= 200 && status < 300

export type Forwarding = { to: URL; keys: SigningKeys; timeoutMs: number; signal: AbortSignal }

/** Posts one change as the platform posts a webhook: the same body, and signed headers. */
export async function forward(
  { headers, body }: StreamedChange,
  { to, keys, timeoutMs, signal }: Forwarding,
): Promise<Answer> {
  const bytes = Buffer.from(body)
  const signable = {
    body: bytes,
    eventId: headers['x-service-delivery'] ?? '',
    webhookId: headers['webhook-id'] ?? '',
    operation: headers['x-service-event'] as ChangeOperation,
  }
  const startedAt = performance.now()
  const ended = (answer: Omit<Answer, 'ms'>): Answer => ({
    ...answer,
    ms: Math.round(performance.now() - startedAt),
  })
  try {
    const answer = await fetch(to, {
      method: 'POST',
      headers: signedHeaders(signable, [keys], Math.floor(Date.now() / 1_000)),
      body: bytes,
      // A redirect counts as a failure, as it does for a webhook.
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    await answer.body?.cancel()
    return ended({ status: answer.status, error: null })
  } catch (err) {
    return ended({ status: null, error: reasonOf(causeOf(err)) })
  }
}

/** Reads `localhost:3000/hook` as `http://localhost:3000/hook`. */
export function forwardUrl(text: string): URL {
  const url = /^https?:\/\//.test(text) ? text : `http://${text}`
  if (!URL.canParse(url)) throw new UsageError(`--forward-to: "${text}" is not a URL`)
  return new URL(url)
}
