/** Ids, numbers and names: never a secret, a value of a record or a URL. */
export type Attributes = Readonly<Record<string, string | number | boolean>>

export type SpanOptions = {
  kind: 'server' | 'client' | 'producer' | 'consumer'
  /** `traceparent` of what led to it; `null` begins a trace. */
  parent: string | null
  /** `traceparent` of what it has to do with beside that. */
  link?: string | null
  attributes: Attributes
}

export type SpanOutcome = {
  /** In place of the name that it began with. */
  name?: string
  attributes?: Attributes
  /** A class of error or a status, for what failed. */
  error?: string | undefined
}

/** One stretch of work. It is exported when it ends, and only then. */
export type Span = {
  /** For whatever it leads to, also when the trace is not sampled. */
  readonly traceparent: string
  /** False when nobody will see it. */
  readonly sampled: boolean
  end(outcome?: SpanOutcome): void
}

/**
 * Begins spans. There is none when nothing is traced: write `tracer?.start(…)`, so that not even the
 * options are made then.
 */
export type Tracer = { start(name: string, options: SpanOptions): Span }

export type Tracing = Tracer & AsyncDisposable

export type TracingConfig = {
  endpoint: string
  serviceName: string
  /** Part of the traces that begin here and are exported; those that a caller began are as it decided. */
  sampledRatio: number
}
