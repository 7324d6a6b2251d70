import { hostname } from 'node:os'
import {
  type Context,
  DiagLogLevel,
  diag,
  SpanKind as Kind,
  type Span as OtelSpan,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  type SpanContext,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'
import { boundedBy } from '../../bounded.ts'
import type { Span, SpanOptions, SpanOutcome, Tracing, TracingConfig } from './tracer.ts'

const kinds: Readonly<Record<SpanOptions['kind'], Kind>> = {
  server: Kind.SERVER,
  client: Kind.CLIENT,
  producer: Kind.PRODUCER,
  consumer: Kind.CONSUMER,
}

/**
 * Most spans to queue while the collector is slow or unreachable. Further spans are dropped without
 * a wait.
 */
const maxQueueSize = 16_384
const exportEveryMs = 1_000
const exportTimeoutMs = 5_000
const flushWithinMs = 2_000

/** The only module that loads OpenTelemetry. Use it through `openTracing`. */
export function openOtlpTracing(config: TracingConfig, log: Logger): Tracing {
  const { endpoint, serviceName, sampledRatio } = config
  diag.setLogger(toLog(log), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.namespace': 'surehook',
      'service.name': serviceName,
      'service.instance.id': `${hostname()}-${process.pid}`,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampledRatio) }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({
          url: `${endpoint}/v1/traces`,
          timeoutMillis: exportTimeoutMs,
        }),
        maxQueueSize,
        scheduledDelayMillis: exportEveryMs,
        exportTimeoutMillis: exportTimeoutMs,
      }),
    ],
  })
  const tracer = provider.getTracer('surehook')
  log.info({ sampledRatio }, 'tracing.on')
  return {
    start: (name, options) => new TracedSpan(begin(tracer, name, options)),
    async [Symbol.asyncDispose]() {
      const flushed = boundedBy(flushWithinMs, provider.shutdown(), 'The collector is slow')
      await flushed.catch((err) => log.warn({ err }, 'tracing.unflushed'))
    },
  }
}

/**
 * The trace context is passed explicitly as text. Automatic instrumentation does not follow WAL,
 * topics and retries, which are half of a change's way. Following asynchronous calls would also
 * cost CPU per message.
 */
function begin(
  tracer: OtelTracer,
  name: string,
  { kind, parent, link, attributes }: SpanOptions,
): OtelSpan {
  const links = link ? [{ context: spanContextOf(link) }] : []
  return tracer.startSpan(name, { kind: kinds[kind], attributes, links }, contextOf(parent))
}

const contextOf = (parent: string | null): Context =>
  parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, spanContextOf(parent))

/** `traceparent` must be well formed: check with `isTraceparent`. */
function spanContextOf(traceparent: string): SpanContext {
  const [, traceId = '', spanId = '', flags = '00'] = traceparent.split('-')
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
}

class TracedSpan implements Span {
  readonly traceparent: string
  readonly sampled: boolean
  readonly #span: OtelSpan

  constructor(span: OtelSpan) {
    this.#span = span
    const { traceId, spanId, traceFlags } = span.spanContext()
    this.sampled = (traceFlags & TraceFlags.SAMPLED) !== 0
    this.traceparent = `00-${traceId}-${spanId}-${this.sampled ? '01' : '00'}`
  }

  end({ name, attributes, error }: SpanOutcome = {}): void {
    if (name !== undefined) this.#span.updateName(name)
    if (attributes !== undefined) this.#span.setAttributes(attributes)
    if (error !== undefined) {
      this.#span.setStatus({ code: SpanStatusCode.ERROR, message: error })
      this.#span.setAttribute('error.type', error)
    }
    this.#span.end()
  }
}

/** Forwards OpenTelemetry's messages to the log, mainly export failures. */
function toLog(log: Logger) {
  const warn = (reason: string) => log.warn({ reason: reason.slice(0, 500) }, 'tracing.failed')
  const debug = (reason: string) => log.debug({ reason }, 'tracing')
  return { error: warn, warn, info: debug, debug, verbose: debug }
}
