import type { IncomingMessage } from 'node:http'
import { tracedHeaders } from '@surehook/contracts/trace/traced-headers'
import type { Span, Tracer } from '../../telemetry/tracing/tracer.ts'
import type { RequestContext } from './request-context.ts'

export type RequestIds = { requestId: string; traceparent: string | null }

export function beginRequestSpan(
  tracer: Tracer,
  { method = '', headers }: IncomingMessage,
  { requestId, traceparent }: RequestIds,
): Span {
  return tracer.start(method, {
    kind: 'server',
    parent: traceparent,
    attributes: {
      'http.request.method': method,
      'surehook.request.id': requestId,
      ...Object.fromEntries(tracedEntries(headers)),
    },
  })
}

export function endRequestSpan(
  span: Span,
  { req, operation }: RequestContext,
  { path, status }: { path: string; status: number },
): void {
  span.end({
    name: `${req.method} ${path}`,
    attributes: {
      'http.route': path,
      'http.response.status_code': status,
      'surehook.operation': operation,
    },
    ...(status >= 500 && { error: String(status) }),
  })
}

/** Unverified values from the caller. Values of another length or form are dropped. */
const tracedEntries = (headers: IncomingMessage['headers']) =>
  Object.entries(tracedHeaders).flatMap(([attribute, name]) => {
    const value = headers[name]
    const isSound = typeof value === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(value)
    return isSound ? [[attribute, value] as const] : []
  })
