import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { forwarded, type TrustedProxies } from '@surehook/service-kit/http/request/trusted-proxies'

/**
 * Headers that are for the next hop only, or that services trust because only the gateway may set
 * them.
 */
const dropped: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'http2-settings',
  'forwarded',
  'via',
  'x-real-ip',
  'x-client-ip',
  'true-client-ip',
  'x-original-url',
  'x-rewrite-url',
  'x-http-method-override',
])
const droppedPrefix = /^x-(?:forwarded|internal|surehook)-/
const hostForm = /^[A-Za-z0-9.[\]:_-]{1,255}$/

type Rewriting = {
  requestId: string
  /** `null` forwards the client's own header. */
  traceparent: string | null
  trustedProxies: TrustedProxies
}

/**
 * Returns the headers that the upstream sees. It is a new object, because deleting from Node's
 * makes it slow to read.
 */
export function requestHeaders(
  req: IncomingMessage,
  { requestId, traceparent, trustedProxies }: Rewriting,
): IncomingHttpHeaders & { 'x-forwarded-for': string } {
  const { headers } = req
  const ofThisHop = connectionOptions(headers)
  const sent: IncomingHttpHeaders = {}
  for (const name in headers) {
    if (dropped.has(name) || droppedPrefix.test(name) || ofThisHop.includes(name)) continue
    sent[name] = headers[name]
  }
  if (traceparent !== null) sent['traceparent'] = traceparent
  return Object.assign(sent, forwardedHeaders(req, trustedProxies), { 'x-request-id': requestId })
}

/**
 * Returns the headers that the sender limited to this hop (RFC 9110, section 7.6.1). Never the ones
 * that frame the body.
 */
function connectionOptions({ connection }: IncomingHttpHeaders): string[] {
  if (connection === undefined || connection === 'keep-alive') return []
  return connection
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== 'transfer-encoding' && name !== 'content-length' && name !== 'host')
}

function forwardedHeaders(
  req: IncomingMessage,
  trustedProxies: TrustedProxies,
): Record<`x-forwarded-${string}`, string> & { 'x-forwarded-for': string } {
  const { headers } = req
  const { client, trusted } = trustedProxies.forwardedFor(req)
  const proto = trusted ? forwarded(headers, 'proto') : undefined
  const host = (trusted ? forwarded(headers, 'host') : undefined) ?? headers.host ?? ''
  return {
    'x-forwarded-for': client,
    'x-forwarded-proto': proto === 'https' ? 'https' : 'http',
    ...(hostForm.test(host) ? { 'x-forwarded-host': host } : {}),
  }
}
