import type { IncomingMessage } from 'node:http'
import type { ViolationRule } from '@surehook/contracts/violation-rules'
import { invalid } from '../../errors.ts'

/**
 * RFC 3986 §3.2: a name or an address, optionally with a port. Empty if the URI has no authority.
 */
const hostForm = /^(?:[\w.~!$&'()*+,;=%-]*|\[[0-9A-Fa-f:.]+\])(?::\d*)?$/

/**
 * Throws for requests that RFC 9112 §3.2 requires servers to refuse: HTTP/1.1 without `Host`, two
 * of them, or an invalid one.
 */
export function requireHost({ rawHeaders, httpVersion }: IncomingMessage): void {
  const hosts: string[] = []
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts.push(rawHeaders[i + 1] ?? '')
  }
  const [host] = hosts
  if (host === undefined) {
    if (httpVersion === '1.1') throw fault('is required', 'required')
    return
  }
  if (hosts.length > 1) throw fault('must be sent once', 'repeated')
  if (!hostForm.test(host)) {
    throw fault('must be a host, perhaps with a port', 'invalid_format')
  }
}

const fault = (message: string, rule: ViolationRule) => invalid([{ field: 'Host', message, rule }])
