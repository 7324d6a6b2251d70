import type { IncomingMessage } from 'node:http'

const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** The upstream's headers as name, value, name, value, without those of its connection and its request id. */
export function responseHeaders({ rawHeaders }: IncomingMessage): string[] {
  const kept: string[] = []
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    const lower = name.toLowerCase()
    if (!hopByHop.has(lower) && lower !== 'x-request-id') kept.push(name, rawHeaders[i + 1] ?? '')
  }
  return kept
}
