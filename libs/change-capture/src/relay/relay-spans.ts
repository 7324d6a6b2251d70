import { isTraceparent, traceparentHeader } from '@surehook/contracts/trace/traceparent'
import type { OutgoingRecord } from '@surehook/kafka/producer/producer'
import { traceHeaders } from '@surehook/service-kit/telemetry/tracing/trace-headers'
import type { Attributes, Span, Tracer } from '@surehook/service-kit/telemetry/tracing/tracer'
import type { CapturedHeader } from '../emit/capture.ts'

/** One span for each captured change, from the WAL to Kafka's acknowledgement. */
export class RelaySpans implements Disposable {
  readonly #tracer: Tracer
  /** Open spans by the `traceparent` that their records carry. */
  readonly #open = new Map<string, Span>()

  constructor(tracer: Tracer) {
    this.#tracer = tracer
  }

  /**
   * Returns the record with the header of its span. Without a known request it returns the record
   * unchanged.
   */
  begin(header: CapturedHeader, record: OutgoingRecord): OutgoingRecord {
    const { traceparent: parent } = header
    if (typeof parent !== 'string' || !isTraceparent(parent)) return record
    const span = this.#tracer.start(`${header.topic} publish`, {
      kind: 'producer',
      parent,
      attributes: { ...destination(header.topic), ...identityOf(header) },
    })
    if (!span.sampled) return record
    this.#open.set(span.traceparent, span)
    return { ...record, headers: { ...record.headers, ...traceHeaders(span) } }
  }

  acknowledged(records: readonly OutgoingRecord[]): void {
    for (const { headers } of records) {
      const traceparent = headers?.[traceparentHeader]
      if (typeof traceparent !== 'string') continue
      this.#open.get(traceparent)?.end()
      this.#open.delete(traceparent)
    }
  }

  /** Ends open spans as unacknowledged. The next holder of the slot sends their records. */
  [Symbol.dispose](): void {
    for (const span of this.#open.values()) span.end({ error: 'unacknowledged' })
    this.#open.clear()
  }
}

const destination = (topic: string): Attributes => ({
  'messaging.system': 'kafka',
  'messaging.operation.type': 'send',
  'messaging.destination.name': topic,
})

const named = {
  id: 'surehook.event.id',
  projectId: 'surehook.project.id',
  environment: 'surehook.environment',
  table: 'surehook.table',
  requestId: 'surehook.request.id',
} as const

function identityOf(header: CapturedHeader): Attributes {
  const entries = Object.entries(named).map(([field, name]) => [name, header[field]] as const)
  return Object.fromEntries(
    entries.filter((entry): entry is [(typeof entry)[0], string] => typeof entry[1] === 'string'),
  )
}
