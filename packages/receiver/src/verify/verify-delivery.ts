import { parseEvent, type WebhookEvent } from '../event.ts'
import { WebhookError } from '../webhook-error.ts'
import { verifyBodySignature } from './body-signature.ts'
import { keysOf } from './keys.ts'
import { type HeaderOf, type SignedId, verifyStandardSignature } from './standard-signature.ts'

export type VerifyOptions = {
  /** The secret of the subscription. During a rotation: the old one and the new one. */
  secrets: string | readonly string[]
  /**
   * Which signatures must be valid. `standard`: `webhook-signature`. `body`: `X-Service-Signature`
   * or `X-Webhook-Signature`, which do not stop replays. `both`: all of them.
   */
  signatures?: 'standard' | 'body' | 'both'
  /** Seconds between `webhook-timestamp` and your clock. Default: 300. */
  toleranceS?: number
}

export type DeliveryRequest = {
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
  /** The body exactly as it arrived. */
  body: Uint8Array | string
}

export type Delivery<R extends object = Record<string, unknown>> = {
  /**
   * `webhook-id`: the same in every attempt, one per subscription and event. With `signatures:
   * 'body'` it is the id of the event, because the header is not signed.
   */
  readonly id: string
  /** Time of this attempt, or `null` with `signatures: 'body'`. */
  readonly attemptedAt: Date | null
  readonly event: WebhookEvent<R>
  /** The verified body, for numbers that JavaScript would round. */
  readonly body: string
}

/**
 * Returns a function that verifies and parses deliveries, and rejects with a `WebhookError`. Throws
 * a `TypeError` if the options are not valid.
 */
export function createVerifier<R extends object = Record<string, unknown>>({
  secrets,
  signatures = 'standard',
  toleranceS = 300,
}: VerifyOptions): (request: DeliveryRequest) => Promise<Delivery<R>> {
  const keys = keysOf(secrets)
  if (!(toleranceS > 0)) throw new TypeError('toleranceS must be a number above 0')
  return async ({ headers, body }) => {
    const header = headerOf(headers)
    const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : Uint8Array.from(body)
    let signed: SignedId | null = null
    let text: string | null = null
    if (signatures !== 'standard') await verifyBodySignature({ header, bytes }, keys)
    text = textOf(bytes)
    if (signatures !== 'body') signed = verifyStandardSignature({ header, text }, keys, toleranceS)
    const event = parseEvent<R>(text)
    const { webhookId: id = event.id, attemptedAt = null } = signed ?? {}
    return { id, attemptedAt, event, body: text }
  }
}

function headerOf(headers: DeliveryRequest['headers']): HeaderOf {
  if (headers instanceof Headers) return (name) => headers.get(name)
  const known = new Map(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const),
  )
  return (name) => {
    const value = known.get(name)
    if (value === undefined) return null
    // More than one value is one too many, as in the `Headers` of fetch.
    return typeof value === 'string' ? value : value.join(', ')
  }
}

/** Strict, because the library signs text: other bytes must not become the same text. */
function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (err) {
    throw new WebhookError('invalid_body', 'The body is not UTF-8', { cause: err })
  }
}
