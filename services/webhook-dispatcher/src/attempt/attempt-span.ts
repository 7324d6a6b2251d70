import type { DeliveryJob } from '@surehook/contracts/events'
import { traceparentOf } from '@surehook/contracts/trace/traceparent'
import type { Span, Tracer } from '@surehook/service-kit/telemetry/tracing/tracer'
import type { Delivery } from '../delivery/delivery.ts'
import { type AttemptResult, succeeded } from '../transitions/decide-next-attempt.ts'

/**
 * Starts the span of an attempt. All attempts of a delivery are children of the match that made it,
 * and each later attempt links to the one before.
 */
export function beginAttemptSpan(tracer: Tracer, { job, message }: Delivery): Span {
  const sentBy = traceparentOf(message.headers)
  return tracer.start('POST delivery', {
    kind: 'client',
    parent: job.traceparent,
    link: sentBy === job.traceparent ? null : sentBy,
    attributes: { 'http.request.method': 'POST', ...serverOf(job.url), ...identityOf(job) },
  })
}

export function endAttemptSpan(span: Span, result: AttemptResult): void {
  if (result.kind === 'unreachable') return span.end({ error: result.errorClass })
  const attributes = { 'http.response.status_code': result.status }
  span.end({ attributes, error: succeeded(result) ? undefined : String(result.status) })
}

/** The origin only: paths and queries of receivers often contain secrets. */
function serverOf(url: string) {
  const target = URL.parse(url)
  if (target === null) return {}
  return { 'server.address': target.hostname, 'server.port': Number(target.port || 443) }
}

function identityOf(job: DeliveryJob) {
  return {
    'surehook.delivery.id': job.deliveryId,
    'surehook.event.id': job.eventId,
    'surehook.subscription.id': job.subscriptionId,
    'surehook.project.id': job.projectId,
    'surehook.environment': job.environment,
    'surehook.table': job.table,
    'surehook.attempt': job.attempt,
    ...(job.redeliveryOf !== null && { 'surehook.redelivery_of': job.redeliveryOf }),
  }
}
