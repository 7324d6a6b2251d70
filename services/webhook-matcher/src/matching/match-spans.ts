import type { ChangeEvent } from '@surehook/contracts/events'
import { traceHeaders } from '@surehook/service-kit/telemetry/tracing/trace-headers'
import type { Span, Tracer } from '@surehook/service-kit/telemetry/tracing/tracer'

type TopicPartition = { topic: string; partition: number }

/** The spans of a batch, each from the matching of a change until Kafka has its deliveries. */
export class MatchSpans implements Disposable {
  readonly #tracer: Tracer
  readonly #source: TopicPartition
  #open: Span[] = []

  constructor(tracer: Tracer, source: TopicPartition) {
    this.#tracer = tracer
    this.#source = source
  }

  /** Returns the event with its trace context, and the trace headers of its records. */
  begin(event: ChangeEvent, deliveries: number) {
    const span = this.#tracer.start(`${this.#source.topic} match`, {
      kind: 'consumer',
      parent: event.traceparent,
      attributes: {
        'messaging.system': 'kafka',
        'messaging.operation.type': 'process',
        'messaging.destination.name': this.#source.topic,
        'messaging.destination.partition.id': String(this.#source.partition),
        'surehook.event.id': event.id,
        'surehook.project.id': event.projectId,
        'surehook.environment': event.environment,
        'surehook.table': event.table,
        'surehook.deliveries': deliveries,
      },
    })
    this.#open.push(span)
    return { event: { ...event, traceparent: span.traceparent }, headers: traceHeaders(span) }
  }

  acknowledged(): void {
    for (const span of this.#open.splice(0)) span.end()
  }

  /** Unacknowledged changes will be matched again. */
  [Symbol.dispose](): void {
    for (const span of this.#open.splice(0)) span.end({ error: 'unacknowledged' })
  }
}
