import http, { type OutgoingHttpHeaders } from 'node:http'
import https from 'node:https'
import type { StreamedChange } from '@surehook/client'
import type { ChangeOperation } from '@surehook/contracts/events'
import { type SigningKeys, signedHeaders } from '@surehook/matching/signed-headers'
import { reasonOf } from '@surehook/service-kit/errors'
import { causeOf } from '../lib/cause-of.ts'
import type { ReceiverTls } from './receiver-address.ts'

/** How the receiver answered. `status` is `null` without an answer. */
export type Answer = { status: number | null; error: string | null; ms: number }

export const isAccepted = ({ status }: Answer): boolean =>
  status !== null && status >= 200 && status < 300

export type Forwarding = {
  to: URL
  tls: ReceiverTls
  keys: SigningKeys
  timeoutMs: number
  signal: AbortSignal
}

/** Posts one change as the platform posts a webhook: the same body, and signed headers. */
export async function forward(
  { headers, body }: StreamedChange,
  { to, tls, keys, timeoutMs, signal }: Forwarding,
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
    const status = await post(to, {
      headers: signedHeaders(signable, [keys], Math.floor(Date.now() / 1_000)),
      body: bytes,
      tls,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    return ended({ status, error: null })
  } catch (err) {
    return ended({ status: null, error: reasonFor(err) })
  }
}

type Post = { headers: OutgoingHttpHeaders; body: Buffer; tls: ReceiverTls; signal: AbortSignal }

/**
 * Resolves with the status. It does not follow a redirect, which counts as a failure, as it does for
 * a webhook. `fetch` is no choice: it refuses ports that browsers forbid, such as 6000.
 */
function post(to: URL, { headers, body, tls, signal }: Post): Promise<number> {
  const options = { method: 'POST', headers, signal }
  const req =
    to.protocol === 'https:' ? https.request(to, { ...options, ...tls }) : http.request(to, options)
  return new Promise((resolve, reject) => {
    req.on('response', (res) => {
      res.destroy()
      resolve(res.statusCode ?? 0)
    })
    req.on('error', reject)
    req.end(body)
  })
}

const certificateFault = /CERT|ISSUER|UNABLE_TO_VERIFY/

function reasonFor(err: unknown): string {
  const reason = reasonOf(causeOf(err))
  const { code = '' } = err as NodeJS.ErrnoException
  return certificateFault.test(code) ? `${reason} (see --ca and --insecure)` : reason
}
