import type { IncomingMessage } from 'node:http'
import type { ViolationRule } from '@surehook/contracts/violation-rules'
import { invalid } from '../../errors.ts'

/** RFC 3986, section 3.2: a name or an address, perhaps with a port. It is empty where the address has no authority. */
const hostForm = /^(?:[\w.~!$&'()*+,;=%-]*|\[[0-9A-Fa-f:.]+\])(?::\d*)?$/

/** Throws for what RFC 9112, section 3.2 asks servers to refuse: no `Host` in HTTP/1.1, two of them, or no host in it. */
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
