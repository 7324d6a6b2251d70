/** Only ids, numbers and names: never a secret, a value of a record or a URL. */
export type Attributes = Readonly<Record<string, string | number | boolean>>

export type SpanOptions = {
  kind: 'server' | 'client' | 'producer' | 'consumer'
  /** `traceparent` of the cause. `null` begins a new trace. */
  parent: string | null
  /** `traceparent` of another related span. */
  link?: string | null
  attributes: Attributes
}

export type SpanOutcome = {
  /** Replaces the initial name. */
  name?: string
  attributes?: Attributes
  /** Class of the error or a status, if the work failed. */
  error?: string | undefined
}

/** One unit of work. It is exported when it ends. */
export type Span = {
  /** Context for further calls and records, even if the trace is not sampled. */
  readonly traceparent: string
  /** False if the span will not be exported. */
  readonly sampled: boolean
  end(outcome?: SpanOutcome): void
}

/**
 * Starts spans. Without tracing there is no tracer: write `tracer?.start(…)`, so that not even the
 * options are created.
 */
export type Tracer = { start(name: string, options: SpanOptions): Span }

export type Tracing = Tracer & AsyncDisposable

export type TracingConfig = {
  endpoint: string
  serviceName: string
  /** Ratio of new traces to export, from 0 to 1. The caller decides for traces that it began. */
  sampledRatio: number
}
