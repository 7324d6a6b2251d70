import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import {
  type Cidr,
  clientAddress,
  type ForwardedFor,
} from '@surehook/service-kit/http/request/client-address'

/** Meant for the next hop only, or believed by services because only we may set them. */
const dropped = [
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
]
const droppedPrefix = /^x-(?:forwarded|internal|surehook)-/
const hostForm = /^[A-Za-z0-9.[\]:_-]{1,255}$/

type Rewriting = {
  requestId: string
  /** `null`: whatever the client sent of it goes on. */
  traceparent: string | null
  trustedProxies: readonly Cidr[]
}

/** Changes the request's headers into those that the upstream is to see. */
export function rewriteRequestHeaders(
  req: IncomingMessage,
  { requestId, traceparent, trustedProxies }: Rewriting,
): void {
  const { headers } = req
  const forwarded = forwardedHeaders(req, trustedProxies)
  for (const name of connectionOptions(headers)) delete headers[name]
  for (const name of dropped) delete headers[name]
  for (const name in headers) if (droppedPrefix.test(name)) delete headers[name]
  Object.assign(headers, forwarded, { 'x-request-id': requestId })
  if (traceparent !== null) headers['traceparent'] = traceparent
}

/** What the sender declared to be for this hop only. Never what frames the body. */
function connectionOptions({ connection }: IncomingHttpHeaders): string[] {
  if (connection === undefined || connection === 'keep-alive') return []
  return connection
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== 'transfer-encoding' && name !== 'content-length' && name !== 'host')
}

/** Who sent the request, as far as our proxies tell. */
export function forwardedClient(
  { headers, socket }: IncomingMessage,
  trustedProxies: readonly Cidr[],
): ForwardedFor {
  const list = one(headers['x-forwarded-for'])
  return clientAddress(socket.remoteAddress ?? '', list, trustedProxies)
}

function forwardedHeaders(
  req: IncomingMessage,
  trustedProxies: readonly Cidr[],
): Record<string, string> {
  const { headers } = req
  const { client, trusted } = forwardedClient(req, trustedProxies)
  const proto = trusted ? one(headers['x-forwarded-proto']) : undefined
  const host = (trusted ? one(headers['x-forwarded-host']) : undefined) ?? headers.host ?? ''
  return {
    'x-forwarded-for': client,
    'x-forwarded-proto': proto === 'https' ? 'https' : 'http',
    ...(hostForm.test(host) ? { 'x-forwarded-host': host } : {}),
  }
}

const one = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value)
