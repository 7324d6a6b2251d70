import type { Logger } from 'pino'
import * as z from 'zod'
import type { Tracing, TracingConfig } from './tracer.ts'

/** Names and meaning are OpenTelemetry's. What is not here (headers, batches) its exporter reads itself. */
export const tracingEnv = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional(),
  OTEL_SERVICE_NAME: z.string().max(256).optional(),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
}

type TracingVariables = z.output<z.ZodObject<typeof tracingEnv>>

/** `null`: nothing is traced. */
export function tracingConfig(read: TracingVariables, service: string): TracingConfig | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: serviceName = service } = read
  if (endpoint === undefined) return null
  return { endpoint, serviceName, sampledRatio: read.OTEL_TRACES_SAMPLER_ARG }
}

/** Open it first: what closes later may still export spans. Without a configuration not even its packages load. */
export async function openTracing(
  config: TracingConfig | null,
  log: Logger,
): Promise<Tracing | undefined> {
  if (config === null) return undefined
  const { openOtlpTracing } = await import('./otlp-tracing.ts')
  return openOtlpTracing(config, log)
}
