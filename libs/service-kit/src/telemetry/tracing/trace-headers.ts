import { traceparentHeader } from '@surehook/contracts/traceparent'
import type { Span } from './tracer.ts'

/** For the records that a span sends. What nobody will see is not worth the bytes. */
export function traceHeaders(span: Span): Record<string, string> | undefined {
  return span.sampled ? { [traceparentHeader]: span.traceparent } : undefined
}

/** The id by which log lines and traces are found; undefined without a trace. */
export function traceIdOf(traceparent: string | null): string | undefined {
  return traceparent?.slice(3, 35)
}
