import type { IncomingHttpHeaders } from 'node:http'
import type { RuledViolation } from '@surehook/contracts/problem'

const prefix = 'ce-'

/**
 * Tells whether the request is a CloudEvent with its attributes in headers and its data as body.
 */
export const isBinaryEvent = (headers: IncomingHttpHeaders): boolean =>
  Object.keys(headers).some((name) => name.startsWith(prefix))

/** Returns the name of an attribute in violations: the header, or the path in the body. */
export function binaryName(attribute: string): string {
  if (attribute === 'data') return 'body'
  if (attribute.startsWith('data.')) return attribute.slice('data.'.length)
  return attribute === 'datacontenttype' ? 'Content-Type' : `${prefix}${attribute}`
}

/**
 * Returns the attributes by name, and the body as `data`. A header holds percent-encoded UTF-8,
 * optionally in quotes (HTTP binding of CloudEvents, section 3.1.3.2).
 */
export function binaryEvent(
  headers: IncomingHttpHeaders,
  data: unknown,
): { event: Record<string, unknown>; faults: RuledViolation[] } {
  const event: Record<string, unknown> = { data }
  const faults: RuledViolation[] = []
  for (const [name, value] of Object.entries(headers)) {
    if (!name.startsWith(prefix)) continue
    const attribute = name.slice(prefix.length)
    const text = decoded(String(value))
    if (text === null)
      faults.push({ field: name, message: 'must be percent-encoded UTF-8', rule: 'invalid_text' })
    // The body is the data: no header may stand in for it.
    else if (attribute !== 'data') event[attribute] = text
  }
  return { event, faults }
}

function decoded(value: string): string | null {
  const isQuoted = value.length > 1 && value.startsWith('"') && value.endsWith('"')
  const text = isQuoted ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
