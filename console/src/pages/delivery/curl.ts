import type { DeliveryDetail } from '@surehook/client'

export type SentHeaders = readonly (readonly [string, string])[]

/** The headers that can be told without the secret. The signed ones differ in each attempt. */
export function sentHeaders(delivery: DeliveryDetail, operation: string | null): SentHeaders {
  return [
    ['content-type', 'application/json'],
    ...(delivery.webhookId === null ? [] : [['webhook-id', delivery.webhookId] as const]),
    ['x-service-delivery', delivery.eventId],
    ...(operation === null ? [] : [['x-service-event', operation] as const]),
  ]
}

export const signedHeaderNames = [
  'webhook-timestamp',
  'webhook-signature',
  'x-service-signature',
  'x-webhook-signature',
] as const

/** A command that sends the same bytes, for a POSIX shell. */
export function curlOf(url: string, headers: SentHeaders, body: string): string {
  return [
    `curl -X POST ${quoted(url)}`,
    ...headers.map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)}`),
    `  --data-binary ${quoted(body)}`,
  ].join(' \\\n')
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** The operation that the body tells. */
export function operationIn(body: string | null): string | null {
  try {
    const { event } = JSON.parse(body ?? '{}') as { event?: unknown }
    return typeof event === 'string' ? event : null
  } catch {
    // Bytes of an older format.
    return null
  }
}
