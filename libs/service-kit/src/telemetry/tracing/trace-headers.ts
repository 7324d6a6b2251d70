import { traceparentHeader } from '@surehook/contracts/trace/traceparent'
import type { Span } from './tracer.ts'

/**
 * Headers of the records that a span sends. `undefined` for an unsampled span, to save the bytes.
 */
export function traceHeaders(span: Span): Record<string, string> | undefined {
  return span.sampled ? { [traceparentHeader]: span.traceparent } : undefined
}

/** Trace id for log lines, or `undefined` without a trace. */
export function traceIdOf(traceparent: string | null): string | undefined {
  return traceparent?.slice(3, 35)
}
