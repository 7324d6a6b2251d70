/** Names and values together, as they are sent. */
export const ownHeaderLimits = { count: 10, bytes: 8_192 } as const

/** RFC 9110 §5.6.2. */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** RFC 9110 §5.5, without obs-text and tabs: visible ASCII, with spaces between. */
const fieldValue = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/

/** Headers of the delivery itself and of the connection (RFC 9110 §7.6.1), in lower case. */
const reserved: ReadonlySet<string> = new Set([
  ...['content-type', 'content-length', 'host', 'user-agent', 'x-webhook-signature'],
  ...['traceparent', 'tracestate', 'connection', 'keep-alive', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'expect'],
])
const reservedPrefixes = ['x-service-', 'webhook-', 'proxy-']

export type HeaderFault = { path: string[]; message: string }

/** Returns the reasons why `headers` cannot be sent. No message holds a value. */
export function headerFaults(headers: Readonly<Record<string, unknown>>): HeaderFault[] {
  const entries = Object.entries(headers)
  const faults: HeaderFault[] = []
  const seen = new Set<string>()
  let bytes = 0
  for (const [name, value] of entries) {
    const message = nameFault(name, seen) ?? valueFault(value)
    if (message !== undefined) faults.push({ path: [name], message })
    seen.add(name.toLowerCase())
    bytes += name.length + String(value).length
  }
  if (entries.length > ownHeaderLimits.count) {
    faults.push({ path: [], message: `must have at most ${ownHeaderLimits.count} headers` })
  }
  if (bytes > ownHeaderLimits.bytes) {
    const message = `must have at most ${ownHeaderLimits.bytes} bytes of names and values`
    faults.push({ path: [], message })
  }
  return faults
}

function nameFault(name: string, seen: ReadonlySet<string>): string | undefined {
  const lower = name.toLowerCase()
  if (!token.test(name)) return 'must be a header name'
  const isReserved =
    reserved.has(lower) || reservedPrefixes.some((prefix) => lower.startsWith(prefix))
  if (isReserved) return 'is a header that only Surehook sets'
  return seen.has(lower) ? 'is there twice: case does not matter' : undefined
}

function valueFault(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string'
  if (fieldValue.test(value)) return undefined
  return 'must be printable ASCII, without spaces at its ends'
}
