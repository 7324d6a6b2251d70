import type { DeliveryDetail } from '@surehook/client'

/** The API tells the names of a webhook's own headers, and no value. */
export type HiddenValue = { variable: string }
export type SentHeaders = readonly (readonly [string, string | HiddenValue])[]

type Context = {
  /** From the body. */
  operation: string | null
  /** The version of this Surehook. */
  version?: string | undefined
  /** The headers that the webhook sets now. */
  ownNames?: readonly string[] | undefined
}

/** The headers that can be told without the secret. The signed ones differ in each attempt. */
export function sentHeaders(
  delivery: Pick<DeliveryDetail, 'webhookId' | 'eventId'>,
  { operation, version, ownNames = [] }: Context,
): SentHeaders {
  return [
    ['content-type', 'application/json'],
    ...(version === undefined ? [] : [['user-agent', `Surehook/${version}`] as const]),
    ...(delivery.webhookId === null ? [] : [['webhook-id', delivery.webhookId] as const]),
    ['x-service-delivery', delivery.eventId],
    ...(operation === null ? [] : [['x-service-event', operation] as const]),
    ...ownNames.map((name) => [name, { variable: variableOf(name) }] as const),
  ]
}

/** A variable of the shell. The prefix keeps a header `path` away from the shell's own `PATH`. */
const variableOf = (name: string) => `HEADER_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`

export const signedHeaderNames = [
  'webhook-timestamp',
  'webhook-signature',
  'x-service-signature',
  'x-webhook-signature',
] as const

/** A command that sends the same bytes, for a POSIX shell. Hidden values are its variables. */
export function curlOf(url: string, headers: SentHeaders, body: string): string {
  return [
    `curl -X POST ${quoted(url)}`,
    ...headers.map(([name, value]) => `  -H ${headerText(name, value)}`),
    `  --data-binary ${quoted(body)}`,
  ].join(' \\\n')
}

const headerText = (name: string, value: string | HiddenValue) =>
  typeof value === 'string'
    ? quoted(`${name}: ${value}`)
    : `${quoted(`${name}: `)}"$${value.variable}"`

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** The operation that the body tells. */
export const operationIn = (body: string | null): string | null => fieldIn(body, 'event')

/** The time of the change that the body tells. */
export const timestampIn = (body: string | null): string | null => fieldIn(body, 'timestamp')

function fieldIn(body: string | null, name: string): string | null {
  try {
    const { [name]: value } = JSON.parse(body ?? '{}') as Record<string, unknown>
    return typeof value === 'string' ? value : null
  } catch {
    // Bytes of an older format.
    return null
  }
}
