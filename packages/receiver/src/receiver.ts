import type { WebhookEvent } from './event.ts'
import type { DedupeStore } from './stores/dedupe-store.ts'
import {
  createVerifier,
  type Delivery,
  type DeliveryRequest,
  type VerifyOptions,
} from './verify/verify-delivery.ts'
import { WebhookError, type WebhookErrorCode } from './webhook-error.ts'

export type ReceiverOptions<R extends object = Record<string, unknown>> = VerifyOptions & {
  /**
   * Handles an event. When it rejects, the answer is 500 and Surehook tries again. Surehook waits
   * 5 s for the answer: store the event, and do long work later.
   */
  onEvent: (event: WebhookEvent<R>, delivery: Delivery<R>) => void | Promise<void>
  /** Remembers handled deliveries. Without it, a repeated delivery is handled again. */
  store?: DedupeStore
  /** Milliseconds for which a delivery stays reserved if the process dies. Default: 60,000. */
  leaseMs?: number
  /** Larger bodies get 413. Default: 2,000,000. */
  maxBodyBytes?: number
  /**
   * Gets the errors that are yours to correct: of `onEvent`, of the store, and of a body that
   * something parsed before. Default: `console.error`.
   */
  onError?: (error: unknown) => void
}

/** The HTTP answer to a delivery. `body` is `null` for 204. */
export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

export type Receiver = {
  readonly maxBodyBytes: number
  /** Verifies and handles a delivery. It never rejects. */
  receive(request: DeliveryRequest | (() => Promise<DeliveryRequest>)): Promise<Answer>
}

/**
 * Creates the receiver that all adapters use. Throws a `TypeError` for options that are not valid.
 */
export function createReceiver<R extends object = Record<string, unknown>>(
  options: ReceiverOptions<R>,
): Receiver {
  // oxlint-disable-next-line no-console -- an error that nobody asked for must not get lost
  const { maxBodyBytes = 2_000_000, onError = console.error } = options
  const verify = createVerifier<R>(options)
  return {
    maxBodyBytes,
    async receive(request) {
      try {
        await handle(
          await verify(typeof request === 'function' ? await request() : request),
          options,
        )
        return { status: 204, headers: {}, body: null }
      } catch (err) {
        const known = err instanceof WebhookError ? err : failedHandler(err)
        if (known.status === 500) onError(known.code === 'handler_failed' ? known.cause : known)
        return answerOf(known)
      }
    },
  }
}

/** The answer does not say why a handler failed: the sender would store it. */
const failedHandler = (cause: unknown) =>
  new WebhookError('handler_failed', 'The receiver could not handle the event', { cause })

async function handle<R extends object>(
  delivery: Delivery<R>,
  { onEvent, store, leaseMs = 60_000 }: ReceiverOptions<R>,
): Promise<void> {
  if (store === undefined) return runHandler(() => onEvent(delivery.event, delivery))
  const { id } = delivery
  const token = crypto.randomUUID()
  const claimed = await runHandler(() => store.claim(id, token, leaseMs))
  if (claimed === 'done') return
  if (claimed === 'busy') {
    throw new WebhookError('in_progress', 'An earlier attempt of this delivery is being handled')
  }
  await runHandler(async () => {
    try {
      await onEvent(delivery.event, delivery)
    } catch (err) {
      await store.release(id, token).catch((failed: unknown) => {
        const message = 'The handler and the release of its delivery failed'
        throw new AggregateError([err, failed], message, { cause: err })
      })
      throw err
    }
    await store.complete(id)
  })
}

/** A `WebhookError` of the user's own code is a failure like any other, and no refusal. */
async function runHandler<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (err) {
    throw failedHandler(err)
  }
}

const extraHeaders: Partial<Record<WebhookErrorCode, Record<string, string>>> = {
  method_not_allowed: { allow: 'POST' },
  in_progress: { 'retry-after': '5' },
}

function answerOf({ code, status, message }: WebhookError): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json', ...extraHeaders[code] },
    body: JSON.stringify({ error: code, message }),
  }
}
