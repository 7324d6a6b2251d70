import type { Logger } from 'pino'
import * as z from 'zod'
import type { Tracing, TracingConfig } from './tracer.ts'

/**
 * Variables of the OpenTelemetry specification. The exporter itself reads all others (headers,
 * batches).
 */
export const tracingEnv = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional(),
  OTEL_SERVICE_NAME: z.string().max(256).optional(),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
}

type TracingVariables = z.output<z.ZodObject<typeof tracingEnv>>

/** Returns `null` if tracing is off. */
export function tracingConfig(read: TracingVariables, service: string): TracingConfig | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: serviceName = service } = read
  if (endpoint === undefined) return null
  return { endpoint, serviceName, sampledRatio: read.OTEL_TRACES_SAMPLER_ARG }
}

/**
 * Open it first, because resources that close later may still export spans. Without a configuration
 * its packages are not loaded.
 */
export async function openTracing(
  config: TracingConfig | null,
  log: Logger,
): Promise<Tracing | undefined> {
  if (config === null) return undefined
  const { openOtlpTracing } = await import('./otlp-tracing.ts')
  return openOtlpTracing(config, log)
}
